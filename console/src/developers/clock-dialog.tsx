import { Dialog } from '../ui/dialog.tsx';
import { RealTime } from '../ui/real-time.tsx';
import { Problem, Waiting } from '../ui/states.tsx';
import { ClockControl } from './clock-control.tsx';
import './developers.css';
import { useDeveloperTexts } from './texts.ts';
import { useClock } from './use-clock.ts';

/** The clock of a sandbox, behind the mark at the top of every page. */
export default function ClockDialog({ onClose }: { onClose: () => void }) {
  const t = useDeveloperTexts();
  const clock = useClock();
  return (
    <RealTime>
      <Dialog title={t.clockTitle} onClose={onClose}>
        {clock.data !== undefined ? (
          <ClockControl clock={clock.data} />
        ) : clock.isError ? (
          <Problem error={clock.error} onRetry={() => void clock.refetch()} />
        ) : (
          <Waiting rows={3} />
        )}
      </Dialog>
    </RealTime>
  );
}
