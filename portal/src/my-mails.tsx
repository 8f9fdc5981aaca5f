import type { MyMails } from '@loyalty/sdk';
import { useEffect, useState } from 'preact/hooks';
import { announce } from './announce.ts';
import { useClub } from './club.ts';

/** Which mails the member gets. Each box is saved at once. Shows nothing until the service has said how they are. */
export function MyMailsChoice() {
  const { t, client, version } = useClub();
  const [mails, setMails] = useState<MyMails | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!navigator.onLine) return undefined;
    const ours = new AbortController();
    // The page around it asks again once there is a connection, and this with it.
    client.getMyMails({ signal: ours.signal, attempts: 1 }).then(setMails, () => {});
    return () => ours.abort();
  }, [version]);

  async function choose(kind: keyof MyMails, isWanted: boolean): Promise<void> {
    const before = mails;
    setProblem(null);
    setMails((now) => now && { ...now, [kind]: isWanted });
    try {
      setMails(await client.chooseMyMails({ [kind]: isWanted }));
      announce(t.saved);
    } catch {
      setMails(before);
      setProblem(t.mailsFailed);
    }
  }

  if (mails === null) return null;
  return (
    <section>
      <h2>{t.mails}</h2>
      <fieldset class="card choices-of">
        <legend class="what">{t.mailsLegend}</legend>
        {(Object.keys(t.mailKinds) as (keyof MyMails)[]).map((kind) => (
          <label key={kind} class="tick">
            <input
              type="checkbox"
              checked={mails[kind]}
              onChange={(event) => void choose(kind, event.currentTarget.checked)}
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
