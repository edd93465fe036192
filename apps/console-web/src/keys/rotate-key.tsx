import { call } from '../api/client.ts';
import type { Key } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import type { MadeKey } from './made-key.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

interface RotateKeyProps {
  of: Key;
  onClose: () => void;
  onMade: (made: MadeKey) => void;
}

export function RotateKeyDialog({ of, onClose, onMade }: RotateKeyProps) {
  const org = useOrg();
  return (
    <RotateDialog
      title={`Rotate ${of.name}`}
      what="key"
      intro={
        <p>
          Creates a new key with the same permissions. Both keys work for the time you choose, so that you can switch
          without downtime.
        </p>
      }
      command={['keys', 'rotate', of.id]}
      rotate={(body) => call('rotateKey', { params: { org: org.id, id: of.id }, body })}
      refreshes={['listKeys']}
      onClose={onClose}
      onDone={({ data }) => onMade(data)}
    />
  );
}
