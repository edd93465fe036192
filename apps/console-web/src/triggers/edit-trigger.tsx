import { useState } from 'react';
import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Terminal } from '../ui/controls/copy.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { textOf } from '../ui/controls/form-data.ts';
import { Form, FormActions } from '../ui/controls/form.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { usualRepeatKey } from './senders.ts';

/** Edits the name of a trigger and its repeat key. */
export function EditTriggerDialog({ of, onClose }: { of: Trigger; onClose: () => void }) {
  const org = useOrg();
  const [command, setCommand] = useState(() => commandOf(of, {}));
  const save = (data: FormData) =>
    call('updateTrigger', { params: { org: org.id, id: of.id }, body: changesIn(of, data) });
  return (
    <Dialog isOpen onClose={onClose} title={`Edit ${of.name}`}>
      <Form
        send={save}
        onDone={({ data }) => {
          void refresh('getTrigger', 'listTriggers');
          notify(`${data.name} saved.`);
          onClose();
        }}
        onInput={(data) => setCommand(commandOf(of, changesIn(of, data)))}
      >
        {(isBusy) => (
          <>
            <TextField name="name" label="Name" defaultValue={of.name} autoFocus />
            <TextField
              name="repeat_key"
              label="Idempotency key"
              defaultValue={of.repeat_key ?? ''}
              placeholder={usualRepeatKey}
              hint="An expression over payload and delivery.headers. Requests with the same value count as one delivery. A change applies to new requests only."
            />
            <FormActions act="Save changes" isBusy={isBusy} />
            <Terminal command={command} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

interface Changes {
  name?: string;
  repeat_key?: string;
}

/** What somebody else changes meanwhile is not changed back. */
function changesIn(of: Trigger, data: FormData): Changes {
  const [name, repeatKey] = [textOf(data, 'name'), textOf(data, 'repeat_key')];
  return {
    ...(name !== of.name && { name }),
    ...(repeatKey !== (of.repeat_key ?? '') && { repeat_key: repeatKey }),
  };
}

function commandOf({ id, name: before }: Trigger, { name, repeat_key: repeatKey }: Changes): string {
  const repeats = repeatKey === undefined ? [] : option('repeat-key', repeatKey);
  const names = name === undefined && repeatKey !== undefined ? [] : option('name', name ?? before);
  return relata('triggers', 'update', id, ...names, ...repeats);
}
