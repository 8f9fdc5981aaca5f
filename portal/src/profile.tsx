import { ApiError, type AutomaticReward, type MyProfile } from '@loyalty/sdk';
import { useRef, useState } from 'preact/hooks';
import { announce } from './announce.ts';
import { titleOf } from './benefit-card.tsx';
import { useClub } from './club.ts';
import { Dialog } from './ui/dialog.tsx';
import { Field } from './ui/field.tsx';
import { Icon } from './ui/icon.tsx';
import { MyData } from './my-data.tsx';
import { MyMailsChoice } from './my-mails.tsx';
import { describeError, NeedsConnection } from './ui/problem.tsx';
import { Rejoin } from './rejoin.tsx';
import type { MyClub } from './use-my-club.ts';

type FieldName = 'username' | 'phone' | 'birth_date';

/** The member's details. Below them, apart from each other: signing out, and leaving the club. */
export function Profile(props: { myClub: MyClub; onChanged: () => Promise<void>; onSignOut: () => void }) {
  const { t } = useClub();
  const [leaving, setLeaving] = useState(false);
  const { me, rewards, profile } = props.myClub;
  return (
    <>
      {me.subscribed ? (
        profile ? (
          <Form profile={profile} rewards={rewards} onChanged={props.onChanged} />
        ) : (
          <NeedsConnection sentence={t.profileOffline} />
        )
      ) : (
        <Rejoin me={me} onJoined={() => void props.onChanged()} />
      )}
      {profile && me.subscribed && <MyMailsChoice />}
      {profile && <MyData />}
      <section class="account">
        <h2>{t.account}</h2>
        <div class="card row">
          <span class="badge">
            <Icon name="mail" />
          </span>
          {me.email && <p class="row-words">{t.accountOf(me.email)}</p>}
          <button type="button" class="button compact" onClick={props.onSignOut}>
            {t.signOut}
          </button>
        </div>
        {me.subscribed && (
          <button type="button" class="plain quiet" onClick={() => setLeaving(true)}>
            {t.leave}
          </button>
        )}
      </section>
      {leaving && (
        <LeaveDialog
          onClose={() => setLeaving(false)}
          onLeft={() => {
            setLeaving(false);
            void props.onChanged();
          }}
        />
      )}
    </>
  );
}

/** The fields that the member has typed in differ from the profile. The others follow what another device changes. */
function Form(props: { profile: MyProfile; rewards: AutomaticReward[]; onChanged: () => Promise<void> }) {
  const { t, f, client } = useClub();
  const { profile, rewards } = props;
  const [typed, setTyped] = useState<Partial<Record<FieldName, string>>>({});
  const field = (name: FieldName) => ({
    name,
    value: typed[name] ?? profile[name] ?? '',
    onInput: (value: string) => setTyped((before) => ({ ...before, [name]: value })),
    problem: wrong[name] ?? null,
  });
  const [wrong, setWrong] = useState<Partial<Record<FieldName, string>>>({});
  const [outcome, setOutcome] = useState<{ saved: boolean; sentence: string } | null>(null);
  const busy = useRef(false);
  const form = useRef<HTMLFormElement>(null);

  async function save(event: Event) {
    event.preventDefault();
    if (busy.current) return;
    busy.current = true;
    setOutcome(null);
    setWrong({});
    try {
      // The others are not sent: another device may have changed them.
      const { username, phone, birth_date: birthDate } = typed;
      const edit = {
        ...(username !== undefined && { username: username.trim() || null }),
        ...(phone !== undefined && { phone: phone.replaceAll(/[\s().-]/g, '') || null }),
        ...(birthDate !== undefined && { birth_date: birthDate || null }),
      };
      if (Object.keys(edit).length > 0) await client.editMyAccount(edit);
      setOutcome({ saved: true, sentence: t.saved });
      announce(t.saved);
      await props.onChanged();
      setTyped((now) => (now === typed ? {} : now));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 422)
        return setOutcome({ saved: false, sentence: describeError(error, t, f) });
      const sentences = { username: t.nameWrong, phone: t.phoneWrong, birth_date: t.birthDateWrong };
      const fields = error.detail
        .map(({ loc }) => loc.at(-1) as FieldName)
        .filter((name) => name in sentences);
      setWrong(Object.fromEntries(fields.map((name) => [name, sentences[name]])));
      form.current?.querySelector<HTMLInputElement>(`[name="${fields[0]}"]`)?.focus();
    } finally {
      busy.current = false;
    }
  }

  const birthday = rewards.find(({ event }) => event === 'birthday');
  const gift = birthday?.benefit
    ? titleOf(birthday.benefit)
    : birthday?.points
      ? t.points(birthday.points, f)
      : null;
  return (
    <form ref={form} class="card" noValidate onSubmit={(event) => void save(event)}>
      <Field label={t.name} {...field('username')} autocomplete="name" />
      <Field
        label={t.phone}
        {...field('phone')}
        type="tel"
        inputMode="tel"
        autocomplete="tel"
        hint={t.phoneHint}
      />
      <Field
        label={t.birthDate}
        {...field('birth_date')}
        type="date"
        // `bday` is in the HTML standard, but missing from the type.
        autocomplete={'bday' as AutoFill}
        hint={gift === null ? t.birthDateHint : `${t.birthdayGift(gift)} ${t.birthDateHint}`}
      />
      <button class="button main">{t.save}</button>
      {outcome && (
        <p class={outcome.saved ? 'note good' : 'wrong'} role={outcome.saved ? undefined : 'alert'}>
          {outcome.saved && <Icon name="check" />}
          {outcome.sentence}
        </p>
      )}
    </form>
  );
}

function LeaveDialog(props: { onClose: () => void; onLeft: () => void }) {
  const { t, f, client } = useClub();
  const [problem, setProblem] = useState<string | null>(null);
  const busy = useRef(false);

  async function leave() {
    if (busy.current) return;
    busy.current = true;
    setProblem(null);
    try {
      await client.leaveProgram();
      announce(t.leftTitle);
      props.onLeft();
    } catch (error) {
      setProblem(describeError(error, t, f));
    } finally {
      busy.current = false;
    }
  }

  return (
    <Dialog title={t.leaveTitle} onClose={props.onClose}>
      <p>{t.leaveText}</p>
      <p class="wrong" role="alert">
        {problem}
      </p>
      <div class="choices">
        <button type="button" class="button" onClick={() => void leave()}>
          {t.leaveConfirm}
        </button>
        <button type="button" class="button main" onClick={props.onClose}>
          {t.cancel}
        </button>
      </div>
    </Dialog>
  );
}
