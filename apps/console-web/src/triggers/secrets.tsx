import { useState } from 'react';
import type { Sender, Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { DataList } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { DescriptionList } from '../ui/data/description-list.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { type MadeSecret, MadeSecretDialog } from './made-secret.tsx';
import css from './triggers.module.css';
import { SelectKeyDialog } from './select-key.tsx';
import { lacksSecret, proofName, secretHint, secretLabel, usualRepeatKey } from './senders.ts';
import { refresh, useCall } from '../api/queries.ts';
import { CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { RotateDialog } from '../keys/rotate-dialog.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { readText } from '../ui/controls/form.tsx';

export function Secrets({ trigger }: { trigger: Trigger }) {
  const { can } = useOrg();
  const sender = useSender(trigger);
  const [act, setAct] = useState<'rotate' | 'select' | 'token'>();
  const [made, setMade] = useState<MadeSecret>();
  const close = () => setAct(undefined);
  const show = (shown: MadeSecret) => {
    close();
    setMade(shown);
  };
  const acts = can('manage') && (
    <span className={css.headActs}>
      {trigger.mode !== 'shared' && <Button onClick={() => setAct('rotate')}>Rotate secret</Button>}
      {trigger.mode !== 'signature' && <Button onClick={() => setAct('select')}>Use an API key</Button>}
      {sender?.has_verify_token && <Button onClick={() => setAct('token')}>Replace verify token</Button>}
    </span>
  );
  return (
    <Panel title="Secrets" actions={acts}>
      <DescriptionList
        facts={[
          ['Authentication', modeText(trigger)],
          ...(sender?.options ?? []).map(({ name, label }) => [label, optionText(trigger, name)] as const),
          ['Idempotency key', trigger.repeat_key ? <code key="key">{trigger.repeat_key}</code> : usualRepeatKey],
        ]}
      />
      {trigger.mode === 'shared' ? <SharedKey trigger={trigger} /> : <SecretList trigger={trigger} />}
      {act === 'rotate' && <RotateSecretDialog trigger={trigger} onClose={close} onMade={show} />}
      {act === 'token' && <ReplaceTokenDialog trigger={trigger} onClose={close} onMade={show} />}
      {act === 'select' && <SelectKeyDialog trigger={trigger} onClose={close} />}
      {made && <MadeSecretDialog made={made} onDone={() => setMade(undefined)} />}
    </Panel>
  );
}

function modeText({ mode, sender }: Trigger): string {
  if (sender) return proofName(sender);
  return mode === 'shared' ? 'API key in the header X-Webhook-Secret' : 'Secret in the header X-Webhook-Secret';
}

function optionText({ signature_options: options }: Trigger, name: string) {
  return options[name] ? <code key={name}>{options[name]}</code> : 'None';
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

function SecretList({ trigger }: { trigger: Trigger }) {
  const unknown = lacksSecret(trigger) ? 'Not stored yet' : 'Hidden';
  return (
    <DataList
      label="Secrets"
      rows={trigger.secrets}
      keyOf={({ created_at }) => created_at}
      columns={[
        { head: 'Secret', cell: ({ last_four }) => (last_four ? <code>…{last_four}</code> : unknown) },
        { head: 'Status', cell: ({ expires_at }) => (expires_at ? 'Previous' : 'Current') },
        { head: 'Last used', cell: ({ last_used_at: at }) => (at ? <RelativeTime time={at} /> : 'Never') },
        { head: 'Created', cell: ({ created_at }) => <RelativeTime time={created_at} /> },
        { head: 'Expires', cell: ({ expires_at }) => (expires_at ? <RelativeTime time={expires_at} /> : 'Never') },
      ]}
    />
  );
}

function useSender({ signature }: Trigger): Sender | undefined {
  const senders = useCall('listSenders', {}, { isEnabled: signature !== null });
  return senders.data?.data.find(({ kind }) => kind === signature);
}

interface RotateSecretProps {
  trigger: Trigger;
  onClose: () => void;
  onMade: (made: MadeSecret) => void;
}

function RotateSecretDialog({ trigger, onClose, onMade }: RotateSecretProps) {
  const { call } = useOrg();
  const sender = useSender(trigger);
  const file = sender?.makes_secret ? ['--secret-file', 'FILE'] : [];
  return (
    <RotateDialog
      title={`Rotate the secret of ${trigger.name}`}
      what="secret"
      command={['triggers', 'rotate', trigger.id, ...file]}
      rotate={(overlap, data) => {
        const secret = readText(data, 'secret');
        const body = { ...overlap, ...(secret && { secret }) };
        return call('rotateTriggerSecret', { params: { id: trigger.id }, body });
      }}
      refreshes={['getTrigger', 'listTriggers']}
      lostWith="tab"
      onClose={onClose}
      onDone={({ data }) => onMade(data)}
    >
      {sender && (
        <TextField name="secret" label={`New ${secretLabel(sender).toLowerCase()}`} hint={secretHint(sender)} />
      )}
    </RotateDialog>
  );
}

/** Generates a new verify token, which the sender needs to verify the URL. The old token stops working. */
function ReplaceTokenDialog({ trigger, onClose, onMade }: RotateSecretProps) {
  const { call } = useOrg();
  const replace = async () => {
    const { data } = await call('replaceVerifyToken', { params: { id: trigger.id } });
    await refresh('getTrigger', 'listAudit');
    onMade({ ...data, secret: null });
  };
  return (
    <Confirm title="Replace the verify token?" act="Replace verify token" onClose={onClose} onConfirm={replace}>
      <p>
        The old token stops working immediately. Requests are not affected: the sender needs the token only when it
        checks the URL.
      </p>
      <CliCommand command={relata('triggers', 'update', trigger.id, '--verify-token-file', 'FILE')} />
    </Confirm>
  );
}
