import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';

export default function DoublePointsPage() {
  const shared = useProgramTexts();
  return <SectionHead title={shared.sections['double-points']} />;
}
