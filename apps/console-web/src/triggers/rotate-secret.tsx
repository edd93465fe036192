import { call } from '../api/client.ts';
import { useCall } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import { RotateDialog } from '../keys/rotate-dialog.tsx';
import { useOrg } from '../shell/org.ts';
import { TextField } from '../ui/controls/field.tsx';
import type { MadeSecret } from './made-secret.tsx';
import { secretHint } from './senders.ts';
import { textOf } from '../ui/controls/form.tsx';

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
    <RotateDialog
      title={`Rotate the secret of ${of.name}`}
      what="secret"
      command={['triggers', 'rotate', of.id, ...file]}
      rotate={(overlap, data) => {
        const secret = textOf(data, 'secret');
        const body = { ...overlap, ...(secret && { secret }) };
        return call('rotateTriggerSecret', { params: { org: org.id, id: of.id }, body });
      }}
      refreshes={['getTrigger', 'listTriggers']}
      onClose={onClose}
      onDone={({ data }) => onMade(data)}
    >
      {sender && <TextField name="secret" label="New signing secret" hint={secretHint(sender)} />}
    </RotateDialog>
  );
}
