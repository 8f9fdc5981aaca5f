import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { isCode, isStatus } from '../api.ts';
import { usePlace } from '../session.ts';
import { Button, TextButton } from '../ui/button.tsx';
import { say } from '../ui/say.tsx';
import { sayProblem } from '../ui/states.tsx';
import { shrinkToUpload } from './benefits/shrink.ts';
import { useBenefitTexts } from './benefits/texts.ts';
import { useEditing } from './editing.ts';
import { TextAt, useAt, type Part } from './parts.tsx';
import './picture-at.css';
import { useProgramTexts } from './texts.ts';

const KINDS = ['image/png', 'image/jpeg', 'image/webp'];

/** A picture of the program: uploaded, dropped or pasted, or the address of one on the web. */
export function PictureAt(props: Part) {
  const t = useBenefitTexts().picture;
  const { shared } = useProgramTexts();
  const { api } = usePlace();
  const { value, set } = useAt(props.path);
  const { follow } = useEditing();
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [broken, setBroken] = useState<unknown>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const upload = useMutation({
    mutationFn: async ({ file }: { file: Blob; place: ReturnType<typeof follow> }) => {
      const small = await shrinkToUpload(file);
      if (small === null) throw new TooLarge();
      return api.uploadPicture(small);
    },
    onSuccess: ({ picture }, { place }) => (place(picture) ? say(t.done) : say(t.gone, { kind: 'wrong' })),
    onError: (error) => setRefusal(whyNot(error)),
  });
  const whyNot = (error: unknown): string => {
    if (error instanceof TooLarge || isStatus(error, 413)) return t.tooLarge;
    if (isCode(error, 'unusable_picture')) return t.unusable;
    if (isCode(error, 'too_many_pictures')) return t.full;
    return sayProblem(error, shared);
  };
  const take = (file: File | null | undefined) => {
    if (file === null || file === undefined || upload.isPending) return;
    setRefusal(KINDS.includes(file.type) ? null : t.otherKind);
    if (KINDS.includes(file.type)) upload.mutate({ file, place: follow(props.path) });
  };
  const address = typeof value === 'string' && value !== '' ? value : null;
  return (
    <div
      className={isOver ? 'picture-at is-over' : 'picture-at'}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files[0]);
      }}
      onPaste={(event) => take(event.clipboardData.files[0])}
    >
      {address !== null && broken !== address && (
        <img
          key={address}
          className="picture-shown"
          src={address}
          alt={props.label}
          referrerPolicy="no-referrer"
          onError={() => setBroken(address)}
        />
      )}
      <div className="picture-words">
        <span className="picture-label">{props.label}</span>
        <div className="acts">
          <Button busy={upload.isPending} onClick={() => picker.current?.click()}>
            {upload.isPending ? t.busy : address === null ? t.upload : t.replace}
            <span className="unseen">{`: ${props.label}`}</span>
          </Button>
          {address !== null && (
            <TextButton onClick={() => set(null)}>
              {t.remove}
              <span className="unseen">{`: ${props.label}`}</span>
            </TextButton>
          )}
        </div>
        <p className="small">{t.drop}</p>
        <input
          ref={picker}
          type="file"
          hidden
          accept={KINDS.join(',')}
          aria-label={`${t.upload}: ${props.label}`}
          onChange={({ currentTarget }) => {
            take(currentTarget.files?.[0]);
            currentTarget.value = '';
          }}
        />
        <p className="wrong problem" role="alert">
          {refusal}
        </p>
      </div>
      <details className="picture-address" open={address?.startsWith('https:') || undefined}>
        <summary>{t.address}</summary>
        <TextAt
          path={props.path}
          label={props.label}
          {...(props.hint !== undefined && { hint: props.hint })}
          inputMode="url"
          spellCheck={false}
          autoComplete="off"
        />
      </details>
    </div>
  );
}

class TooLarge extends Error {}
