import { useState } from 'react';
import type { InputOf } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { CheckboxGroup, SelectField, TextArea, TextField } from '../ui/controls/field.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import css from './keys.module.css';
import type { MadeKey } from './made-key.tsx';
import { scopes } from './scopes.ts';
import { readLines, readText } from '../ui/controls/form.tsx';
import { daysFromNow, startOfDay, useAreTimesUtc } from '../ui/data/time.tsx';

type Body = InputOf<'createKey'>['body'];

interface CreateKeyProps {
  onClose: () => void;
  onMade: (made: MadeKey) => void;
}

export function CreateKeyDialog({ onClose, onMade }: CreateKeyProps) {
  const { id: org, call } = useOrg();
  const [kind, setKind] = useState<Body['kind']>('secret');
  return (
    <FormDialog
      title="Create key"
      act="Create key"
      send={(data) => call('createKey', { body: bodyOf(data) })}
      command={(data) => commandOf(org, bodyOf(data))}
      refreshes={['listKeys']}
      onClose={onClose}
      onDone={({ data }) => onMade({ key: data.key, secret: data.secret })}
    >
      <TextField name="name" label="Name" hint="The program that uses the key, such as “Zapier import”." autoFocus />
      <KindField kind={kind} onChange={setKind} />
      {kind === 'secret' ? (
        <CheckboxGroup name="scopes" label="Permissions" options={scopes} />
      ) : (
        <TextArea
          name="origins"
          label="Allowed origins"
          hint="One per line, such as https://example.com. The key gets only the “chat” permission."
        />
      )}
      <ExpiryField />
    </FormDialog>
  );
}

const kinds = [
  ['secret', 'Secret: for programs on a server'],
  ['publishable', 'Publishable: for the chat widget on web pages, where anyone can read it'],
] as const;

function KindField({ kind, onChange }: { kind: Body['kind']; onChange: (kind: Body['kind']) => void }) {
  return (
    <fieldset className={css.kinds}>
      <legend>Type</legend>
      {kinds.map(([value, text]) => (
        <label key={value}>
          <input type="radio" name="kind" value={value} checked={kind === value} onChange={() => onChange(value)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

function bodyOf(data: FormData): Body {
  const kind = readText(data, 'kind') as Body['kind'];
  const common = { kind, name: readText(data, 'name'), ...expiryOf(data) };
  if (kind === 'publishable') return { ...common, scopes: ['chat'], origins: readLines(data, 'origins') };
  return { ...common, scopes: data.getAll('scopes') as Body['scopes'] };
}

function commandOf(org: string, { kind, name, scopes: chosen, origins = [], expires_at }: Body): string {
  const may = kind === 'publishable' ? ['--publishable', ...option('origin', ...origins)] : option('scope', ...chosen);
  const expires = expires_at ? option('expires', expires_at) : [];
  return relata('keys', 'create', '--org', org, ...(name ? option('name', name) : []), ...may, ...expires);
}

const choices = [
  ['90', 'In 90 days'],
  ['30', 'In 30 days'],
  ['365', 'In 1 year'],
  ['', 'Never'],
  ['day', 'On a date…'],
] as const;

function ExpiryField() {
  const [choice, setChoice] = useState<string>(choices[0][0]);
  const zone = useAreTimesUtc() ? 'UTC' : 'your time zone';
  const isDay = choice === 'day';
  return (
    <>
      <SelectField
        name="ends"
        label="Expires"
        options={choices}
        value={choice}
        onChange={(event) => setChoice(event.target.value)}
      />
      {isDay && (
        <TextField
          name="expires_at"
          label="Expiry date"
          type="date"
          hint={`The key expires at the start of this day, in ${zone}.`}
        />
      )}
    </>
  );
}

function expiryOf(data: FormData): { expires_at: string | null } {
  const ends = readText(data, 'ends');
  if (ends === 'day') return { expires_at: startOfDay(readText(data, 'expires_at')) };
  return { expires_at: ends === '' ? null : daysFromNow(Number(ends)) };
}
