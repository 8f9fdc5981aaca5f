import { useEditing } from '../editing.ts';
import { SectionHead } from '../section-head.tsx';
import { useProgramTexts } from '../texts.ts';

/** What the draft changes. */
export default function Review() {
  const t = useProgramTexts();
  const { check } = useEditing();
  return <SectionHead title={t.review}>{check?.changes.join('; ')}</SectionHead>;
}
