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
        A new key with the same scopes takes its place. For a while both work, so that nothing stops while you exchange
        it.
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
