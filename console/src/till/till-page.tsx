import { useTexts } from '../texts/texts.ts';
import { Empty } from '../ui/states.tsx';

export default function TillPage() {
  const t = useTexts();
  return <Empty isPage title={t.till} />;
}
