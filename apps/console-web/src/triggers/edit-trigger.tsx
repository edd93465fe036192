import { useState } from 'react';
import type { Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { TextField } from '../ui/controls/field.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { usualRepeatKey } from './senders.ts';
import { changedValues, readText } from '../ui/controls/form.tsx';

export function EditTriggerDialog({ trigger: given, onClose }: { trigger: Trigger; onClose: () => void }) {
  const { call } = useOrg();
  // Compares with the trigger as it was when the dialog opened, even if somebody else changes it in the meantime.
  const [trigger] = useState(given);
  return (
    <FormDialog
      title={`Edit ${trigger.name}`}
      act="Save changes"
      send={(data) => call('updateTrigger', { params: { id: trigger.id }, body: changesIn(trigger, data) })}
      command={(data) => commandOf(trigger, changesIn(trigger, data))}
      refreshes={['getTrigger', 'listTriggers']}
      onClose={onClose}
      onDone={({ data }) => {
        notify(`${data.name} saved.`);
        onClose();
      }}
    >
      <TextField name="name" label="Name" defaultValue={trigger.name} autoFocus />
      <TextField
        name="repeat_key"
        label="Idempotency key"
        defaultValue={trigger.repeat_key ?? ''}
        placeholder={usualRepeatKey}
        hint="An expression over payload and delivery.headers. Requests with the same value count as one delivery. If this is empty, the header Idempotency-Key or webhook-id is compared (webhook-id or svix-id for Standard Webhooks). A change applies to new requests only."
      />
    </FormDialog>
  );
}

const changesIn = ({ name, repeat_key: repeatKey }: Trigger, data: FormData) =>
  changedValues(
    { name, repeat_key: repeatKey ?? '' },
    { name: readText(data, 'name'), repeat_key: readText(data, 'repeat_key') },
  );

function commandOf(
  { id, name: before }: Trigger,
  { name, repeat_key: repeatKey }: ReturnType<typeof changesIn>,
): string {
  const repeats = repeatKey === undefined ? [] : option('repeat-key', repeatKey);
  const names = name === undefined && repeatKey !== undefined ? [] : option('name', name ?? before);
  return relata('triggers', 'update', id, ...names, ...repeats);
}
