import { call } from '../api/client.ts';
import { ApiFailure } from '../api/failure.ts';
import { forgetSession } from '../api/session.ts';
import { TryButton } from '../ui/controls/try-button.tsx';

export function SignOut() {
  const leave = async () => {
    await call('signOut', {}).catch(unlessSignedOut);
    forgetSession();
    // The whole page goes, and with it all that was shown to this person.
    location.assign('/console/sign-in');
  };
  return <TryButton run={leave}>Sign out</TryButton>;
}

/** If the session has already ended, signing out has succeeded. */
function unlessSignedOut(error: unknown): void {
  if (!(error instanceof ApiFailure) || error.code !== 'unauthorized') throw error;
}
