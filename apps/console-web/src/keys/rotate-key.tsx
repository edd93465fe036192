import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Key } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import type { MadeKey } from './made-key.tsx';
import { RotateForm } from './rotate-form.tsx';

interface RotateKeyProps {
  of: Key;
  onClose: () => void;
  onMade: (made: MadeKey) => void;
}

export function RotateKeyDialog({ of, onClose, onMade }: RotateKeyProps) {
  const org = useOrg();
  return (
    <Dialog isOpen onClose={onClose} title={`Rotate ${of.name}`}>
      <p>
        Creates a new key with the same permissions. Both keys work for the time you choose, so that you can switch
        without downtime.
      </p>
      <RotateForm
        what="key"
        command={['keys', 'rotate', of.id]}
        rotate={(body) => call('rotateKey', { params: { org: org.id, id: of.id }, body })}
        onDone={({ data }) => {
          void refresh('listKeys');
          onMade(data);
        }}
      />
    </Dialog>
  );
}
