import { call } from '../api/client.ts';
import { refresh, useCall } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import { RotateForm } from '../keys/rotate-form.tsx';
import { useOrg } from '../shell/org.ts';
import { TextField } from '../ui/controls/field.tsx';
import { textOf } from '../ui/controls/form-data.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import type { MadeSecret } from './made-secret.tsx';
import { secretHint } from './senders.ts';

interface RotateSecretProps {
  of: Trigger;
  onClose: () => void;
  onMade: (made: MadeSecret) => void;
}

export function RotateSecretDialog({ of, onClose, onMade }: RotateSecretProps) {
  const org = useOrg();
  const senders = useCall('listSenders', { params: { org: org.id } }, { isEnabled: of.signature !== null });
  const sender = senders.data?.data.find(({ kind }) => kind === of.signature);
  const file = sender?.makes_secret ? ['--secret-file', 'FILE'] : [];
  return (
    <Dialog isOpen onClose={onClose} title={`Rotate the secret of ${of.name}`}>
      <RotateForm
        what="secret"
        command={['triggers', 'rotate', of.id, ...file]}
        rotate={(overlap, data) => {
          const secret = textOf(data, 'secret');
          const body = { ...overlap, ...(secret && { secret }) };
          return call('rotateTriggerSecret', { params: { org: org.id, id: of.id }, body });
        }}
        onDone={({ data }) => {
          void refresh('getTrigger', 'listTriggers');
          onMade(data);
        }}
      >
        {sender && <TextField name="secret" label="New signing secret" hint={secretHint(sender)} />}
      </RotateForm>
    </Dialog>
  );
}
