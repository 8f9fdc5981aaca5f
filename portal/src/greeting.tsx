import { useClub } from './club.ts';
import { capitalize } from './format.ts';
import { Icon } from './ui/icon.tsx';
import type { News } from './news.ts';
import type { MyClub } from './use-my-club.ts';

/** A name longer than this is shortened to its first word, so that it stays a greeting. */
const MAX_NAME = 24;

/** Whether a name is only the beginning of an address, such as pat5894. The device does not keep the address. */
function isMailbox(name: string | null, email: string | null): boolean {
  return name !== null && /^\S*\d\S*$/.test(name) && (email === null || email.split('@')[0] === name);
}

/** The ground of Home: a greeting by name, the news since the last visit, and double points while they run. */
export function Greeting({ myClub, news }: { myClub: MyClub; news: News | null }) {
  const { t, f, now } = useClub();
  const { me, program } = myClub;
  const name = isMailbox(me.username, me.email) ? '' : (me.username ?? '');
  const short = name.length > MAX_NAME ? name.split(/[\s.@_-]/)[0]!.slice(0, MAX_NAME) : name;
  const open = program?.earning.double_points.find(({ is_open: isOpen }) => isOpen);
  return (
    <div class="greeting">
      <p class="display">{t.greeting(f.hour(now()), short)}</p>
      <p class="pills">
        {news?.dates && (
          <span class="pill">
            <Icon name="up" size={16} />
            {t.gained(
              t.points(news.points, f),
              f.recentDay(news.dates[0], now()) === f.recentDay(news.dates[1], now())
                ? f.recentDay(news.dates[1], now())
                : null,
            )}
          </span>
        )}
        {open && (
          <span class="pill">
            <Icon name="sparkles" size={16} />
            {capitalize(t.doubleUntil(f.lastDay(open.to, now())), f.locale)}
          </span>
        )}
      </p>
    </div>
  );
}
