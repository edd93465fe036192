import { call } from '../api/client.ts';
import { useCall } from '../api/queries.ts';
import type { Sender } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { SelectField, TextField } from '../ui/controls/field.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import type { MadeSecret } from './made-secret.tsx';
import { isOffered, newSecretHint, proofName, usualRepeatKey } from './senders.ts';
import { useKeyOptions } from './select-key.tsx';
import { readText } from '../ui/controls/form.tsx';

interface CreateTriggerProps {
  onClose: () => void;
  onMade: (made: MadeSecret) => void;
}

export function CreateTriggerDialog({ onClose, onMade }: CreateTriggerProps) {
  const org = useOrg();
  const senders = useCall('listSenders', {}).data;
  const senderIn = (data: FormData) => senders?.data.find(({ kind }) => readText(data, 'key_id') === `sign:${kind}`);
  const create = (data: FormData) => {
    const isFollowing = senderIn(data)?.makes_secret && readText(data, 'secret') === '';
    const body = { ...bodyOf(data), ...(isFollowing && { secret_follows: true }) };
    return call('createTrigger', { params: { org: org.id }, body });
  };
  return (
    <FormDialog
      title="Create trigger"
      act="Create trigger"
      send={create}
      command={(data) => commandOf(org.id, data)}
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

function SenderFields({ sender }: { sender: Sender | undefined }) {
  return (
    <>
      {sender && <TextField name="secret" label="Signing secret" hint={newSecretHint(sender)} key={sender.kind} />}
      {sender?.has_options && <SigningFields />}
      <TextField
        name="repeat_key"
        label="Idempotency key"
        placeholder={sender?.repeat_key ?? usualRepeatKey}
        hint="An expression over payload and delivery.headers. Requests with the same value count as one delivery."
      />
    </>
  );
}

function OpenedByField({ senders, isReady }: { senders: readonly Sender[]; isReady: boolean }) {
  const keys = useKeyOptions();
  const options = [
    ['', 'Secret in the header X-Webhook-Secret'] as const,
    ...senders.filter(isOffered).map(({ kind, is_signed: isSigned }) => {
      const isOff = isSigned && !isReady;
      return [`sign:${kind}`, `${proofName(kind)}${isOff ? ' (needs SIGNING_KEYS)' : ''}`, isOff] as const;
    }),
    ...keys,
  ];
  return (
    <SelectField
      name="key_id"
      label="Authentication"
      options={options}
      hint="How the sender proves who it is. If it is in the list, choose its signature."
    />
  );
}

/** Returns the body from the fields that are filled in; a signature is one of the keys. */
function bodyOf(data: FormData) {
  const fields = [...data.keys()].map((name) => [name, readText(data, name)] as const);
  const given = Object.fromEntries(fields.filter(([, value]) => value !== ''));
  const { key_id: opening = '', name = '', ...rest } = given;
  const signature = kindOf(opening);
  return { ...rest, name, ...(signature ? { signature } : opening && { key_id: opening }) };
}

const kindOf = (opening: string) => (opening.startsWith('sign:') ? opening.slice('sign:'.length) : undefined);

function commandOf(org: string, data: FormData): string {
  const opening = readText(data, 'key_id');
  const signature = kindOf(opening);
  const given = (field: string, name = field.replaceAll('_', '-')) =>
    readText(data, field) ? option(name, readText(data, field)) : [];
  return relata(
    'triggers',
    'create',
    ...option('org', org),
    ...option('name', readText(data, 'name')),
    ...(signature ? option('signature', signature) : given('key_id', 'key')),
    // It never stands on a command line.
    ...(readText(data, 'secret') ? option('secret-file', 'FILE') : []),
    ...optionNames.flatMap((field) => given(field)),
    ...given('repeat_key'),
  );
}

const optionNames = ['header', 'algorithm', 'encoding', 'prefix', 'template', 'timestamp_header'] as const;

const same = (...values: string[]) => values.map((value) => [value, value] as const);

/** Signature options for a sender of an unknown kind. */
function SigningFields() {
  return (
    <>
      <TextField name="header" label="Signature header" placeholder="x-signature" />
      <SelectField name="algorithm" label="Algorithm" options={same('sha256', 'sha512', 'sha1')} />
      <SelectField name="encoding" label="Encoding" options={same('hex', 'base64')} />
      <TextField
        name="prefix"
        label="Prefix"
        hint="Text before the signature in the header, such as sha256=. Usually empty."
      />
      <TextField
        name="template"
        label="Signed content"
        placeholder="{body}"
        hint="Contains {body}, and {timestamp} if the sender signs one."
      />
      <TextField
        name="timestamp_header"
        label="Timestamp header"
        hint="Required with {timestamp}. Timestamps more than 5 minutes off are refused."
      />
    </>
  );
}
