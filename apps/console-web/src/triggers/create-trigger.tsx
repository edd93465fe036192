import { useState } from 'react';
import { call } from '../api/client.ts';
import { refresh, useCall } from '../api/queries.ts';
import { useOrg } from '../shell/org.ts';
import { Terminal } from '../ui/controls/copy.tsx';
import { SelectField, TextField } from '../ui/controls/field.tsx';
import { textOf } from '../ui/controls/form-data.ts';
import { Form, FormActions } from '../ui/controls/form.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { hasEnded, shortKey } from '../keys/key-state.ts';
import type { MadeSecret } from './made-secret.tsx';

interface CreateTriggerProps {
  onClose: () => void;
  onMade: (made: MadeSecret) => void;
}

export function CreateTriggerDialog({ onClose, onMade }: CreateTriggerProps) {
  const org = useOrg();
  const [command, setCommand] = useState('');
  const create = (data: FormData) => {
    const key_id = textOf(data, 'key_id');
    const body = { name: textOf(data, 'name'), ...(key_id && { key_id }) };
    return call('createTrigger', { params: { org: org.id }, body });
  };
  const commandOf = (name: string, key: string) =>
    relata('triggers', 'create', '--org', org.id, ...option('name', name), ...(key ? option('key', key) : []));
  return (
    <Dialog isOpen onClose={onClose} title="Create trigger">
      <Form
        send={create}
        onDone={({ data }) => {
          void refresh('listTriggers');
          onMade(data);
        }}
        onInput={(data) => setCommand(commandOf(textOf(data, 'name'), textOf(data, 'key_id')))}
      >
        {(isBusy) => (
          <>
            <TextField name="name" label="Name" hint="What posts to it, such as “Website form”." autoFocus />
            <OpenedByField />
            <FormActions act="Create trigger" isBusy={isBusy} onCancel={onClose} />
            <Terminal command={command || commandOf('', '')} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** A secret of its own, or a key that may do that. */
function OpenedByField() {
  const org = useOrg();
  const keys = useCall('listKeys', { params: { org: org.id } });
  const now = Date.now();
  const fitting = (keys.data?.data ?? []).filter((key) => key.scopes.includes('webhook') && !hasEnded(key, now));
  const options = [
    ['', 'a secret of its own'],
    ...fitting.map((key) => [key.id, `the key ${key.name}, ${shortKey(key)}`] as const),
  ] as const;
  return (
    <SelectField
      name="key_id"
      label="Senders show"
      options={options}
      hint="A key can open several triggers; it needs the scope webhook."
    />
  );
}
