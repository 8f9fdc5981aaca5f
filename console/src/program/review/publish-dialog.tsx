import { ApiError, ConnectionError, type Program, type WhatIf } from '@loyalty/sdk/admin';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent } from 'react';
import { isCode, queries, SESSION_KEY } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { usePlace } from '../../session.ts';
import { Button, TextButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { sayProblem } from '../../ui/states.tsx';
import type { Difference } from '../differences.ts';
import { modelKey, useEditing } from '../editing.ts';
import { useProgramTexts } from '../texts.ts';
import { askWhatIf } from './ask-what-if.ts';
import { AtOnceLines } from './at-once.tsx';
import type { PublishedDraft } from './published.tsx';
import { useReviewTexts } from './texts.ts';
import { sayWhyNot } from './why-not.ts';
import type { Range } from './use-what-if.ts';

const LONGEST_NOTE = 200;

/** The last look before the program is in force: what has happened since the what-if, and what happens at once. */
export function PublishDialog(props: {
  /** The what-if that the owner has looked at, if there is one. */
  seen: WhatIf | null;
  range: Range;
  differences: readonly Difference[];
  onPublished: (published: PublishedDraft) => void;
  onClose: () => void;
}) {
  const t = useReviewTexts();
  const { shared } = useProgramTexts();
  const { api, shop } = usePlace();
  const { program, base, discard } = useEditing();
  const [note, setNote] = useState('');
  const fresh = useQuery({
    queryKey: [shop.id, 'what-if-again', base.version, props.range, program],
    queryFn: ({ signal }) => askWhatIf(api, { program, ...props.range }, { signal }),
    enabled: props.seen !== null,
    staleTime: 0,
    gcTime: 0,
  });
  const publish = useMutation({
    mutationFn: (sent: Program) =>
      api.publishProgram({
        program: sent,
        base_version: base.version,
        ...(note.trim() !== '' && { note: note.trim() }),
      }),
    async onSuccess({ version, changes }, sent) {
      props.onPublished({ version, changes, differences: props.differences, before: base });
      // Another tab may have changed the draft meanwhile: the review then puts that on the new version.
      discard(sent);
      props.onClose();
      // The name and the color of the shop stand in the frame, too.
      await queries.invalidateQueries({ queryKey: SESSION_KEY });
      await queries.invalidateQueries({ queryKey: [shop.id] });
    },
    async onError(error) {
      if (!isCode(error, 'program_changed')) return;
      // The page shows the other version, and asks.
      props.onClose();
      await queries.invalidateQueries({ queryKey: modelKey(shop.id) });
    },
  });
  // Somebody else has published: the page shows their version, and asks.
  const isBehind = fresh.data !== undefined && fresh.data.base_version > base.version;
  useEffect(() => {
    if (isBehind) void queries.invalidateQueries({ queryKey: modelKey(shop.id) });
  }, [isBehind, shop.id]);
  const isLooking = fresh.isLoading || isBehind;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!publish.isPending && !isLooking) publish.mutate(program);
  };
  const newest = fresh.data ?? props.seen;
  return (
    <Dialog title={t.publishTitle} locked={publish.isPending} onClose={props.onClose}>
      <form className="form" noValidate onSubmit={onSubmit}>
        <p>{t.publishText}</p>
        {newest !== null && <AtOnceLines publishing={newest.publishing} />}
        <p className="strip tint" role="status">
          {props.seen === null ? (
            t.notSeen
          ) : fresh.isError ? (
            <>
              {t.lookingFailed} {sayWhyNot(fresh.error, t, shared)}{' '}
              <TextButton onClick={() => void fresh.refetch()}>{shared.retry}</TextButton>
            </>
          ) : isLooking ? (
            t.lookingSince
          ) : (
            <Since seen={props.seen} now={fresh.data!} />
          )}
        </p>
        <Field
          label={t.note}
          hint={t.noteHint}
          maxLength={LONGEST_NOTE}
          autoComplete="off"
          readOnly={publish.isPending}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {publish.isError && (
          <p className="strip wrong" role="alert">
            {isUnknown(publish.error) ? t.unknown : sayProblem(publish.error, shared)}
          </p>
        )}
        <div className="dialog-acts">
          <Button onClick={() => !publish.isPending && props.onClose()}>{shared.cancel}</Button>
          <Button look="main" type="submit" busy={publish.isPending || isLooking}>
            {publish.isError && isUnknown(publish.error) ? shared.retry : t.publishNow}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The changes in the shop since the owner looked at the what-if. */
function Since({ seen, now }: { seen: WhatIf; now: WhatIf }) {
  const t = useReviewTexts();
  const f = useFormat();
  const lines = [
    seen.purchases !== now.purchases && t.sincePurchases(now.purchases - seen.purchases, f),
    seen.points.earned.now !== now.points.earned.now &&
      t.sincePoints(f.number(seen.points.earned.now), f.number(now.points.earned.now)),
    seen.liability.points.now !== now.liability.points.now &&
      t.sinceLiability(f.number(seen.liability.points.now), f.number(now.liability.points.now)),
  ].filter((line) => line !== false);
  return lines.length === 0 ? t.sinceNothing : `${t.since} ${lines.join('; ')}.`;
}

/** No answer came, or one that does not say whether it is in force. */
function isUnknown(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500);
}
