import type { MyAccount } from '@loyalty/sdk';
import { useRef, useState } from 'preact/hooks';
import { announce } from './announce.ts';
import { titleOf } from './benefit-card.tsx';
import { useClub } from './club.ts';
import { describeError } from './ui/problem.tsx';

/** Tells a member who has left the club that their points are kept, and lets them join again. */
export function Rejoin({ me, onJoined }: { me: MyAccount; onJoined: () => void }) {
  const { t, f, client } = useClub();
  const [problem, setProblem] = useState<string | null>(null);
  const busy = useRef(false);

  async function join() {
    if (busy.current) return;
    busy.current = true;
    setProblem(null);
    try {
      const { welcome_benefit: benefit, welcome_points: points } = await client.joinProgram();
      const got = benefit === null ? points && t.points(points, f) : titleOf(benefit);
      // A member whom the shop has blocked stays blocked.
      if (!(await client.getMyAccount()).subscribed) setProblem(t.rejoinFailed);
      else announce(got ? t.welcomeGot(got) : t.welcomeBack);
      onJoined();
    } catch (error) {
      setProblem(describeError(error, t, f));
    } finally {
      busy.current = false;
    }
  }

  return (
    <section class="card rejoin">
      <h2>{t.leftTitle}</h2>
      <p>{t.leftText(t.points(me.points, f))}</p>
      <p class="wrong" role="alert">
        {problem}
      </p>
      <button type="button" class="button main" onClick={() => void join()}>
        {t.rejoin}
      </button>
    </section>
  );
}
