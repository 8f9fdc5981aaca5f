import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';

export default function TiersPage() {
  const shared = useProgramTexts();
  return <SectionHead title={shared.sections['tiers']} />;
}
