import './first-day.css';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { isWithoutAnswer } from '../api.ts';
import { usePlace, useProgram } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { say } from '../ui/say.tsx';
import { sayProblem } from '../ui/states.tsx';
import { Poster } from './poster.tsx';
import { useFirstDayTexts } from './texts.ts';

/** The shop is open: the till, the address for members, the poster, and a key for programs. */
export default function FirstDayPage() {
  const t = useFirstDayTexts();
  const { shop, path } = usePlace();
  return (
    <div className="first-day">
      <section className="card first-day-open">
        <h1>{t.title(shop.name)}</h1>
        <p>{t.text}</p>
        <Link className="button main big" href={path('till')}>
          {t.toTill}
        </Link>
      </section>
      <section className="card inside stack">
        <h2>{t.clubTitle}</h2>
        <p>{t.clubText}</p>
        <Copied text={shop.club_url} label={t.clubLabel} />
        <p>
          <a className="button" href={shop.club_url} target="_blank" rel="noreferrer">
            {t.openClub}
          </a>
        </p>
      </section>
      <section className="card inside stack first-day-poster">
        <div className="stack">
          <h2>{t.posterTitle}</h2>
          <p>{t.posterText}</p>
          <p>
            <Link className="button" href={path('poster')}>
              {t.toPoster}
            </Link>
          </p>
        </div>
        <div className="first-day-sheet" aria-hidden="true" inert>
          <Poster shop={shop} label="" />
        </div>
      </section>
      <KeyCard />
    </div>
  );
}

/** A key is made only when somebody asks for it: most shops begin without one. */
function KeyCard() {
  const t = useFirstDayTexts();
  const shared = useTexts();
  const { api, shop, session, path } = usePlace();
  const program = useProgram();
  const make = useMutation({ mutationFn: () => api.createKey({ name: t.keyName }) });
  const base = shop.club_url.replace(/\/club\/[^/]*$/, '');
  const amount = Math.ceil(25 * (program.data?.money_per_point ?? 1));
  return (
    <section className="card inside stack">
      <h2>{t.keyTitle}</h2>
      {make.isError && isWithoutAnswer(make.error) ? (
        <>
          <p className="wrong" role="alert">
            {t.keyLost}
          </p>
          <p>
            <Link className="button" href={path('developers')}>
              {t.toKeys}
            </Link>
          </p>
        </>
      ) : make.data === undefined ? (
        <>
          <p>{t.keyText}</p>
          <p>
            <Button busy={make.isPending} onClick={() => make.mutate()}>
              {t.makeKey}
            </Button>
          </p>
          <p className="wrong" role="alert">
            {make.isError && sayProblem(make.error, shared)}
          </p>
        </>
      ) : (
        <>
          <p className="ending" role="status">
            {t.keyOnce}
          </p>
          <Copied text={make.data.key} label={t.keyLabel} />
          <Copied text={writePurchase(base, make.data.key, session.email, amount)} label={t.curlLabel} />
        </>
      )}
    </section>
  );
}

/** The owner's own purchase, so that it can be pasted as it is. */
function writePurchase(base: string, key: string, email: string, amount: number): string {
  return `curl -i ${base}/v1/consumptions/email \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ client_email: email, amount }).replaceAll("'", String.raw`'\''`)}'`;
}

/** A text to copy, in full. */
function Copied({ text, label }: { text: string; label: string }) {
  const t = useFirstDayTexts();
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      say(t.copied);
    } catch {
      say(t.notCopied, { kind: 'wrong' });
    }
  }
  return (
    <div className="copied">
      <p className="label">{label}</p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long line scrolls, by keyboard too */}
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <Button aria-label={`${t.copy}: ${label}`} onClick={() => void copy()}>
        {t.copy}
      </Button>
    </div>
  );
}
