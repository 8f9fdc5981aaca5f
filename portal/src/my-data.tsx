import { useRef, useState } from 'preact/hooks';
import { announce } from './announce.ts';
import { useClub } from './club.ts';
import { Icon } from './ui/icon.tsx';
import { describeError } from './ui/problem.tsx';

/** Everything that is stored about the member at this shop, saved on their device as a file. */
export function MyData() {
  const { t, f, client, commerce, session } = useClub();
  const [said, say] = useState<{ sentence: string; isWrong: boolean } | null>(null);
  const [isComing, setComing] = useState(false);
  const busy = useRef(false);

  async function get(): Promise<void> {
    if (busy.current) return;
    busy.current = true;
    setComing(true);
    say(null);
    const owner = session();
    try {
      const data = await client.getMyData();
      // It may have taken minutes, and somebody else may be at the phone by now.
      if (session() !== owner) return;
      saveFile(JSON.stringify(data, null, 2), `${commerce.name} ${t.myData}.json`);
      say({ sentence: t.myDataDone, isWrong: false });
      announce(t.myDataDone);
    } catch (error) {
      say({ sentence: describeError(error, t, f), isWrong: true });
    } finally {
      busy.current = false;
      setComing(false);
    }
  }

  return (
    <section class="account">
      <h2>{t.myData}</h2>
      <div class="card row">
        <span class="badge">
          <Icon name="history" />
        </span>
        <p class="row-words">{t.myDataText}</p>
        <button type="button" class="button compact" aria-disabled={isComing} onClick={() => void get()}>
          {isComing ? t.myDataComing : t.myDataGet}
        </button>
        {said && (
          <p class={said.isWrong ? 'wrong' : 'small'} role={said.isWrong ? 'alert' : undefined}>
            {said.sentence}
          </p>
        )}
      </div>
    </section>
  );
}

/** Saves a file as if it had been downloaded. */
function saveFile(content: string, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
