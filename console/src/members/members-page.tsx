import { useRoute } from 'wouter';
import { MemberListPage } from './list.tsx';
import './members.css';
import { MemberPage } from './member.tsx';

/** The list of members, or the page of the member that the address names. */
export default function MembersPage() {
  const [isMember, params] = useRoute('/:slug/members/:memberId');
  const memberId = Number(params?.memberId);
  return isMember ? <MemberPage key={memberId} memberId={memberId} /> : <MemberListPage />;
}
