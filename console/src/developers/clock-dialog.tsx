import { Dialog } from '../ui/dialog.tsx';
import { RealTime } from '../ui/real-time.tsx';
import { ClockControl } from './clock-control.tsx';
import './developers.css';
import { useDeveloperTexts } from './texts.ts';
import { useClock } from './use-clock.ts';
import { Answered } from '../ui/answered.tsx';

/** The clock of a sandbox, behind the mark at the top of every page. */
export default function ClockDialog({ onClose }: { onClose: () => void }) {
  const t = useDeveloperTexts();
  const clock = useClock();
  return (
    <RealTime>
      <Dialog title={t.clockTitle} onClose={onClose}>
        <Answered query={clock}>{(now) => <ClockControl clock={now} />}</Answered>
      </Dialog>
    </RealTime>
  );
}
