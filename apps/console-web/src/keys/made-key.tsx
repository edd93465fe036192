import { useEffect, useState } from 'react';
import { useCall, useMe } from '../api/queries.ts';
import type { OutputOf, Key } from '../api/types.ts';
import { ShellCommand } from '../ui/controls/copy.tsx';
import { DoneButton, Secret } from '../ui/controls/secret.tsx';
import { shellCommand } from '../ui/controls/shell-command.ts';
import { State } from '../ui/data/state.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';

/** A new key with its secret. Only the page that created it has the secret, until the person has stored it. */
export interface MadeKey {
  key: Key;
  secret: string;
  /** The replaced key, after a rotation. */
  old?: Key;
}

/** Interval in ms between checks for the first use. A use is stored within 5 s, and must appear within 6 s. */
const lookEveryMs = 500;
const lookForMs = 5 * 60_000;

/** Shows a new key. The dialog cannot be closed by accident, because the key would be lost. */
export function MadeKeyDialog({ made, onDone }: { made: MadeKey; onDone: () => void }) {
  const [isStored, setStored] = useState(false);
  const { server } = useMe();
  const { key, secret, old } = made;
  const done = <DoneButton isStored={isStored} onDone={onDone} />;
  return (
    <Dialog isAlert isWide title={old ? 'Key rotated' : 'Key created'} actions={done}>
      <Secret secret={secret} what="key" onStored={setStored} />
      <ShellCommand label="Test the key:">{tryCommand(server.public_url, key, secret)}</ShellCommand>
      <FirstUse apiKey={key} />
      {old?.expires_at && (
        <p>
          The old key expires <RelativeTime time={old.expires_at} />.
        </p>
      )}
    </Dialog>
  );
}

/** Returns a curl command for `/v1/self`, which accepts every key. A publishable key needs one of its origins. */
function tryCommand(url: string, { origins }: Key, secret: string): string {
  const origin = origins[0] ? ['-H', `Origin: ${origins[0]}`] : [];
  return shellCommand('curl', '-s', `${url}/v1/self`, '-H', `X-Api-Key: ${secret}`, ...origin);
}

function FirstUse({ apiKey }: { apiKey: Key }) {
  const [isLooking, setLooking] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setLooking(false), lookForMs);
    return () => clearTimeout(timer);
  }, []);
  const usedAt = (keys?: OutputOf<'listKeys'>) => keys?.data.find(({ id }) => id === apiKey.id)?.last_used_at;
  const everyMs = (keys?: OutputOf<'listKeys'>) => (isLooking && !usedAt(keys) ? lookEveryMs : undefined);
  const at = usedAt(useCall('listKeys', {}, { everyMs }).data);
  return (
    <p role="status">
      {at ? (
        <>
          <State tone="ok">First used</State> <RelativeTime time={at} />
        </>
      ) : (
        <State tone="idle">{isLooking ? 'Waiting for the first use…' : 'Not used yet'}</State>
      )}
    </p>
  );
}
