import { useMutation } from '@tanstack/react-query';
import { atTheDoor, queries } from '../api.ts';
import { noteSignedIn } from '../seen-session.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { say } from '../ui/say.tsx';

/** Ends the session and leaves nothing of it in the page. */
export function useSignOut() {
  const t = useTexts();
  return useMutation({
    mutationFn: (where: { everywhere: boolean }) =>
      atTheDoor.logOutStaff(where.everywhere ? { everywhere: true } : {}),
    onSuccess: leave,
    onError: () => say(t.signOutFailed, { kind: 'wrong' }),
  });
}

/** The console begins anew, so no line of the last person stays in memory. */
export function leave(): void {
  noteSignedIn(false);
  queries.clear();
  location.reload();
}

export function SignOutButton() {
  const t = useTexts();
  const signOut = useSignOut();
  return (
    <Button busy={signOut.isPending} onClick={() => signOut.mutate({ everywhere: false })}>
      {t.signOut}
    </Button>
  );
}
