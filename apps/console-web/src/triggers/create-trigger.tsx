import { useCall } from '../api/queries.ts';
import type { Sender } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { type Option, SelectField, TextField } from '../ui/controls/field.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import type { MadeSecret } from './made-secret.tsx';
import { SenderFields } from './sender-fields.tsx';
import { groupSenders } from './senders.ts';
import { useKeyOptions } from './select-key.tsx';
import { readText } from '../ui/controls/form.tsx';

interface CreateTriggerProps {
  onClose: () => void;
  onMade: (made: MadeSecret) => void;
}

export function CreateTriggerDialog({ onClose, onMade }: CreateTriggerProps) {
  const { id: org, call } = useOrg();
  const senders = useCall('listSenders', {}).data;
  const senderIn = (data: FormData) => senders?.data.find(({ kind }) => readText(data, 'key_id') === `sign:${kind}`);
  return (
    <FormDialog
      title="Create trigger"
      act="Create trigger"
      send={(data) => call('createTrigger', { body: bodyOf(data, senderIn(data)) })}
      command={(data) => commandOf(org, data, senderIn(data))}
      refreshes={['listTriggers']}
      onClose={onClose}
      onDone={({ data }) => onMade(data)}
    >
      {(data) => (
        <>
          <TextField name="name" label="Name" hint="The source of the requests, such as “Website form”." autoFocus />
          <OpenedByField senders={senders?.data ?? []} isReady={senders?.is_ready ?? false} />
          <SenderFields sender={senderIn(data)} />
        </>
      )}
    </FormDialog>
  );
}

function OpenedByField({ senders, isReady }: { senders: readonly Sender[]; isReady: boolean }) {
  const keys = useKeyOptions();
  const groups = groupSenders(senders).map(
    ([label, kinds]) => [label, kinds.map((kind) => optionOf(kind, isReady))] as const,
  );
  return (
    <SelectField
      name="key_id"
      label="Authentication"
      options={[['', 'Secret in the header X-Webhook-Secret'] as const]}
      groups={[...groups, ['API keys, in the header X-Webhook-Secret', keys]]}
      hint="How the sender proves who it is. If the sender is in the list, choose it."
    />
  );
}

function optionOf(sender: Sender, isReady: boolean): Option {
  const isOff = sender.is_signed && !isReady;
  return [`sign:${sender.kind}`, `${sender.maker}${isOff ? ' (needs SIGNING_KEYS)' : ''}`, isOff];
}

/** Returns the request body with the fields that are filled in. For a sender, the signature replaces the key. */
function bodyOf(data: FormData, sender: Sender | undefined) {
  const fields = [...data.keys()].map((name) => [name, readText(data, name)] as const);
  const { key_id, name = '', ...given } = Object.fromEntries(fields.filter(([, value]) => value !== ''));
  if (!sender) return { ...given, name, ...(key_id && { key_id }) };
  return { ...given, name, signature: sender.kind, ...(secretFollows(sender, data) && { secret_follows: true }) };
}

function commandOf(org: string, data: FormData, sender: Sender | undefined): string {
  const given = (field: string, name = field.replaceAll('_', '-')) =>
    readText(data, field) ? option(name, readText(data, field)) : [];
  return relata(
    'triggers',
    'create',
    ...option('org', org),
    ...option('name', readText(data, 'name')),
    ...(sender ? option('signature', sender.kind) : given('key_id', 'key')),
    // The secret must never be on a command line.
    ...(readText(data, 'secret') ? option('secret-file', 'FILE') : []),
    ...(sender && secretFollows(sender, data) ? ['--secret-follows'] : []),
    ...(sender?.options ?? []).flatMap(({ name }) => given(name)),
    ...given('repeat_key'),
  );
}

/** Returns true if the sender creates its secret and nobody has entered it yet. */
const secretFollows = (sender: Sender, data: FormData) => sender.makes_secret && readText(data, 'secret') === '';
