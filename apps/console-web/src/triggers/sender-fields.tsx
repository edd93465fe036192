import type { Sender } from '../api/types.ts';
import { SelectField, TextField } from '../ui/controls/field.tsx';
import { State } from '../ui/data/state.tsx';
import { Hint } from '../ui/data/error-alert.tsx';
import { newSecretHint, secretLabel, usualRepeatKey } from './senders.ts';

/** Fields of a new trigger that depend on the kind of its sender. */
export function SenderFields({ sender }: { sender: Sender | undefined }) {
  return (
    <>
      {sender && <KindFields sender={sender} key={sender.kind} />}
      <TextField
        name="repeat_key"
        label="Idempotency key"
        placeholder={sender?.repeat_key ?? usualRepeatKey}
        hint="An expression over payload and delivery.headers. Requests with the same value count as one delivery. Leave this empty to use the expression shown in grey."
      />
    </>
  );
}

function KindFields({ sender }: { sender: Sender }) {
  return (
    <>
      {sender.warning !== null && <ReplayWarning text={sender.warning} />}
      {sender.options.map((option) => (
        <OptionField option={option} key={option.name} />
      ))}
      <TextField name="secret" label={secretLabel(sender)} hint={newSecretHint(sender)} />
      {sender.has_verify_token && (
        <p>A verify token is generated too. {sender.maker} asks for it, and it is shown once.</p>
      )}
    </>
  );
}

export function ReplayWarning({ text }: { text: string }) {
  return (
    <Hint>
      <p>
        <State tone="warn">Warning</State>: {text}
      </p>
    </Hint>
  );
}

function OptionField({ option }: { option: Sender['options'][number] }) {
  const { name, label, text, choices, default: fallback, is_required: isRequired } = option;
  const hint = `${text[0]!.toUpperCase()}${text.slice(1)}.${isRequired ? ' Required.' : ''}`;
  if (choices.length > 0)
    return <SelectField name={name} label={label} options={choices.map((value) => [value, value] as const)} />;
  return <TextField name={name} label={label} hint={hint} placeholder={fallback ?? undefined} />;
}
