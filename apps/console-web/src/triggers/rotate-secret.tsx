import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import { RotateForm } from '../keys/rotate-form.tsx';
import { useOrg } from '../shell/org.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import type { MadeSecret } from './made-secret.tsx';

interface RotateSecretProps {
  of: Trigger;
  onClose: () => void;
  onMade: (made: MadeSecret) => void;
}

export function RotateSecretDialog({ of, onClose, onMade }: RotateSecretProps) {
  const org = useOrg();
  return (
    <Dialog isOpen onClose={onClose} title={`Rotate the secret of ${of.name}`}>
      <RotateForm
        what="secret"
        command={['triggers', 'rotate', of.id]}
        rotate={(body) => call('rotateTriggerSecret', { params: { org: org.id, id: of.id }, body })}
        onDone={({ data }) => {
          void refresh('getTrigger', 'listTriggers');
          onMade(data);
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
}
