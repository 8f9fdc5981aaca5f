import { useTexts } from '../texts/texts.ts';
import { Empty } from '../ui/states.tsx';

export default function MembersPage() {
  const t = useTexts();
  return <Empty isPage title={t.members} />;
}
