import './set-up.css';
import type { SetUp, SetUpStep } from '@loyalty/sdk/admin';
import { useEffect, useState } from 'react';
import { Link, Redirect, useLocation } from 'wouter';
import { Problem, Empty, Waiting } from '../ui/states.tsx';
import { BenefitStep } from './benefit-step.tsx';
import { Door } from './door.tsx';
import { OpenStep } from './open-step.tsx';
import { PlaceStep } from './place-step.tsx';
import { PointsStep } from './points-step.tsx';
import { pathOf, STEPS, useSetUp } from './set-up-state.ts';
import { Shell } from './shell.tsx';
import { ShopStep } from './shop-step.tsx';
import { useSetUpTexts } from './texts.ts';

const VIEWS = {
  shop: ShopStep,
  place: PlaceStep,
  points: PointsStep,
  benefit: BenefitStep,
  open: OpenStep,
} satisfies Record<SetUpStep, unknown>;

/** From the set-up link to an open shop. Each step has an address, and the answers are kept by the service. */
export default function SetUpPage() {
  const t = useSetUpTexts();
  const [path] = useLocation();
  const [token, setToken] = useState(() => location.hash.slice(1));
  const setUp = useSetUp();
  useEffect(() => {
    document.title = t.title;
  }, [t]);
  // Another link may be pasted into the same window.
  useEffect(() => {
    const read = () => setToken(location.hash.slice(1));
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);

  const step = STEPS.find((one) => pathOf(one) === path);
  if (setUp.data === undefined)
    return (
      <Shell setUp={null} step={null}>
        {setUp.isError ? (
          <Problem error={setUp.error} onRetry={() => void setUp.refetch()} />
        ) : (
          <Waiting rows={2} />
        )}
      </Shell>
    );
  if (token !== '' || setUp.data === null)
    return <Door key={token} token={token} begun={setUp.data} onOpen={() => setToken('')} />;
  if (setUp.data.shop !== null) return <IsOpen setUp={setUp.data} slug={setUp.data.shop.slug} />;
  if (step === undefined) return <Redirect to={pathOf(setUp.data.answers.step ?? 'shop')} replace />;
  const View = VIEWS[step];
  return <View key={step} setUp={setUp.data} />;
}

function IsOpen({ setUp, slug }: { setUp: SetUp; slug: string }) {
  const t = useSetUpTexts();
  return (
    <Shell setUp={setUp} step={null}>
      <Empty
        isPage
        title={t.isOpenTitle}
        act={
          <Link className="button main" href={`/${slug}`}>
            {t.toShop}
          </Link>
        }
      >
        {t.isOpenText}
      </Empty>
    </Shell>
  );
}
