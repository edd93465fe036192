import { call } from '../api/client.ts';
import { ApiFailure } from '../api/failure.ts';
import { ActionButton } from '../ui/controls/action-button.tsx';

export function SignOut() {
  const leave = async () => {
    await call('signOut', {}).catch(unlessSignedOut);
    // Loads another page, which removes everything that was shown to this person.
    location.assign('/console/sign-in');
  };
  return <ActionButton run={leave}>Sign out</ActionButton>;
}

/** Ignores the failure of a session that has already ended; throws any other. */
function unlessSignedOut(error: unknown): void {
  if (!(error instanceof ApiFailure) || error.code !== 'unauthorized') throw error;
}
