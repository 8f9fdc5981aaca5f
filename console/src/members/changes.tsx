import { useInfiniteQuery } from '@tanstack/react-query';
import { usePlace } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Problem, sayProblem, Waiting } from '../ui/states.tsx';
import { Change } from './change.tsx';
import { useMemberTexts } from './texts.ts';

/** Lists the acts of people of the shop, keys of the back office and the command line on this member. */
export function Changes({ memberId }: { memberId: number }) {
  const t = useMemberTexts();
  const { api, shop } = usePlace();
  const changes = useInfiniteQuery({
    queryKey: [shop.id, 'member', memberId, 'changes'],
    queryFn: ({ pageParam, signal }) => api.listAudit({ member_id: memberId, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
  const lines = changes.data?.pages.flatMap(({ results }) => results) ?? [];
  return (
    <section className="card" id="changes" aria-labelledby="changes-title">
      <div className="toolbar">
        <h2 id="changes-title">{t.changes}</h2>
      </div>
      {changes.isPending ? (
        <div className="inset">
          <Waiting rows={2} />
        </div>
      ) : changes.isError && lines.length === 0 ? (
        <Problem error={changes.error} onRetry={() => void changes.refetch()} />
      ) : lines.length === 0 ? (
        <p className="small inset">{t.noChanges}</p>
      ) : (
        <ul className="rows">
          {lines.map((line) => (
            <Change key={line.id} line={line} />
          ))}
        </ul>
      )}
      {changes.hasNextPage && (
        <div className="table-foot">
          {changes.isError && <span className="wrong">{sayProblem(changes.error, t.shared)}</span>}
          <Button busy={changes.isFetchingNextPage} onClick={() => void changes.fetchNextPage()}>
            {t.showMore}
          </Button>
        </div>
      )}
    </section>
  );
}
