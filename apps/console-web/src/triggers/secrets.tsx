import { useState } from 'react';
import type { Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { DataList } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { Facts } from '../ui/data/facts.tsx';
import { Ago } from '../ui/data/time.tsx';
import { type MadeSecret, MadeSecretDialog } from './made-secret.tsx';
import { SelectKeyDialog } from './select-key.tsx';
import { proofName, secretHint, usualRepeatKey } from './senders.ts';
import { call } from '../api/client.ts';
import { useCall } from '../api/queries.ts';
import { RotateDialog } from '../keys/rotate-dialog.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { readText } from '../ui/controls/form.tsx';

export function Secrets({ trigger }: { trigger: Trigger }) {
  const org = useOrg();
  const [act, setAct] = useState<'rotate' | 'select'>();
  const [made, setMade] = useState<MadeSecret>();
  const close = () => setAct(undefined);
  const acts = org.can('manage') && (
    <span>
      {trigger.mode !== 'shared' && <Button onClick={() => setAct('rotate')}>Rotate secret</Button>}{' '}
      {trigger.mode !== 'signature' && <Button onClick={() => setAct('select')}>Use an API key</Button>}
    </span>
  );
  return (
    <Panel title="Secrets" actions={acts}>
      <Facts
        facts={[
          ['Authentication', modeText(trigger)],
          ['Idempotency key', trigger.repeat_key ? <code key="key">{trigger.repeat_key}</code> : usualRepeatKey],
        ]}
      />
      {trigger.mode === 'shared' ? <SharedKey trigger={trigger} /> : <SecretList trigger={trigger} />}
      {act === 'rotate' && (
        <RotateSecretDialog
          trigger={trigger}
          onClose={close}
          onMade={(secret) => {
            close();
            setMade(secret);
          }}
        />
      )}
      {act === 'select' && <SelectKeyDialog trigger={trigger} onClose={close} />}
      {made && <MadeSecretDialog made={made} onDone={() => setMade(undefined)} />}
    </Panel>
  );
}

function modeText({ mode, signature }: Trigger): string {
  if (mode === 'signature') return proofName(signature ?? '');
  return mode === 'shared' ? 'API key in the header X-Webhook-Secret' : 'Secret in the header X-Webhook-Secret';
}

function SharedKey({ trigger: { key } }: { trigger: Trigger }) {
  return (
    <Empty
      title={key ? `API key ${key.name} …${key.last_four}` : 'The API key was deleted, so every request is refused.'}
    >
      <p>Only this key is accepted. After you rotate it under API keys, the trigger accepts the new key.</p>
    </Empty>
  );
}

function SecretList({ trigger: { secrets } }: { trigger: Trigger }) {
  return (
    <DataList
      label="Secrets"
      rows={secrets}
      keyOf={({ created_at }) => created_at}
      columns={[
        { head: 'Secret', cell: ({ last_four }) => (last_four ? <code>…{last_four}</code> : 'Hidden') },
        { head: 'Created', cell: ({ created_at }) => <Ago time={created_at} /> },
        { head: 'Expires', cell: ({ expires_at }) => (expires_at ? <Ago time={expires_at} /> : 'Never') },
      ]}
    />
  );
}

interface RotateSecretProps {
  trigger: Trigger;
  onClose: () => void;
  onMade: (made: MadeSecret) => void;
}

function RotateSecretDialog({ trigger, onClose, onMade }: RotateSecretProps) {
  const org = useOrg();
  const senders = useCall('listSenders', {}, { isEnabled: trigger.signature !== null });
  const sender = senders.data?.data.find(({ kind }) => kind === trigger.signature);
  const file = sender?.makes_secret ? ['--secret-file', 'FILE'] : [];
  return (
    <RotateDialog
      title={`Rotate the secret of ${trigger.name}`}
      what="secret"
      command={['triggers', 'rotate', trigger.id, ...file]}
      rotate={(overlap, data) => {
        const secret = readText(data, 'secret');
        const body = { ...overlap, ...(secret && { secret }) };
        return call('rotateTriggerSecret', { params: { org: org.id, id: trigger.id }, body });
      }}
      refreshes={['getTrigger', 'listTriggers']}
      onClose={onClose}
      onDone={({ data }) => onMade(data)}
    >
      {sender && <TextField name="secret" label="New signing secret" hint={secretHint(sender)} />}
    </RotateDialog>
  );
}
