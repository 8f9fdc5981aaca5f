import { useState } from 'react';
import { Link } from 'wouter';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Poster } from './poster.tsx';
import { useFirstDayTexts } from './texts.ts';

/** The poster, as it will be printed. On paper there is nothing else. */
export default function PosterPage() {
  const t = useFirstDayTexts();
  const { shop, path, may } = usePlace();
  const [plain, setPlain] = useState(false);
  return (
    <div className="poster-page">
      <header className="page-head">
        <div className="words">
          <h1>{t.posterPage}</h1>
          <p className="small">{t.posterHint}</p>
        </div>
        <div className="acts">
          <label className="poster-choice">
            <input
              type="checkbox"
              checked={plain}
              onChange={(event) => setPlain(event.currentTarget.checked)}
            />
            {t.plain}
          </label>
          <Link className="button" href={path(may('owner') ? 'first-day' : 'till')}>
            {t.back}
          </Link>
          <Button look="main" onClick={() => window.print()}>
            {t.print}
          </Button>
        </div>
      </header>
      {isOnlyHere(shop.club_url) && (
        <p className="strip ending" role="note">
          <Icon name="alert" />
          {t.onlyHere(new URL(shop.club_url).host)}
        </p>
      )}
      <div className="poster-frame">
        <Poster shop={shop} label={t.posterSays(shop.name)} plain={plain} />
      </div>
    </div>
  );
}

/** Whether nobody but this machine can open the address: a poster with it would lead nowhere. */
const isOnlyHere = (address: string): boolean =>
  /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(address).hostname);
