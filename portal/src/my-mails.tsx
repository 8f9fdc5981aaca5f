import type { MyMails } from '@loyalty/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from './announce.ts';
import { useClub } from './club.ts';
import { isOutage } from './ui/problem.tsx';

type Kind = keyof MyMails;
interface Choice {
  readonly isWanted: boolean;
}

/**
 * Which mails the member gets. Each box is saved at once, one after the other. Shows nothing until the service has said
 * how they are.
 */
export function MyMailsChoice() {
  const { t, client, version, session } = useClub();
  const [mails, setMails] = useState<MyMails | null>(null);
  // Those without an answer yet.
  const [choices, setChoices] = useState<{ readonly [kind in Kind]?: Choice | null }>({});
  const [problem, setProblem] = useState<string | null>(null);
  const saving = useRef(Promise.resolve());
  // How many choices have begun or ended. What is read meanwhile may be from before.
  const changes = useRef(0);
  useEffect(() => {
    if (!navigator.onLine) return undefined;
    const ours = new AbortController();
    const before = changes.current;
    const show = (now: MyMails) => {
      if (changes.current !== before) return;
      setMails(now);
      setProblem(null);
    };
    // The page around it asks again once there is a connection, and this with it.
    client.getMyMails({ signal: ours.signal, attempts: 1 }).then(show, () => {});
    return () => ours.abort();
  }, [version]);

  function choose(kind: Kind, isWanted: boolean): void {
    const choice = { isWanted };
    const owner = session();
    changes.current += 1;
    setProblem(null);
    setChoices((now) => ({ ...now, [kind]: choice }));
    // Nothing is chosen for somebody who has signed in since.
    saving.current = saving.current.then(() => (session() === owner ? save(kind, choice) : undefined));
  }

  async function save(kind: Kind, choice: Choice): Promise<void> {
    try {
      setMails(await client.chooseMyMails({ [kind]: choice.isWanted }));
      announce(t.saved);
    } catch (error) {
      setProblem(isOutage(error) ? t.mailsUnknown : t.mailsFailed);
    }
    changes.current += 1;
    // The box is as the service says, unless it was chosen again meanwhile.
    setChoices((now) => (now[kind] === choice ? { ...now, [kind]: null } : now));
  }

  if (mails === null) return null;
  return (
    <section>
      <h2>{t.mails}</h2>
      <fieldset class="card choices-of">
        <legend class="what">{t.mailsLegend}</legend>
        {(Object.keys(t.mailKinds) as Kind[]).map((kind) => (
          <label key={kind} class="tick">
            <input
              type="checkbox"
              checked={choices[kind]?.isWanted ?? mails[kind]}
              onChange={(event) => choose(kind, event.currentTarget.checked)}
            />
            {t.mailKinds[kind]}
          </label>
        ))}
        <p class="small">{t.mailsHint}</p>
        <p class="wrong" role="alert">
          {problem}
        </p>
      </fieldset>
    </section>
  );
}
