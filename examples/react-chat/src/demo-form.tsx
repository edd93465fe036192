import { type FormEvent, useState } from 'react';
import { type Gateway, requestDemo } from './gateway.ts';

interface DemoFormProps {
  gateway: Gateway;
  title: string;
  /** Details that the visitor has already given. */
  offered: Record<string, string>;
}

/** All fields of a demo request are shown, because the model may fill in any of them. */
const fields = [
  { name: 'name', label: 'Name', type: 'text', required: true },
  { name: 'work_email', label: 'Work email', type: 'email', required: true },
  { name: 'company', label: 'Company', type: 'text', required: false },
  { name: 'team_size', label: 'Team size', type: 'text', required: false },
  { name: 'crm', label: 'Current CRM', type: 'text', required: false },
] as const;

/** Fields of a demo request that may have several lines, which an `<input>` would join. */
const longFields = [
  { name: 'use_case', label: 'Use case' },
  { name: 'message', label: 'What would you like to see?' },
] as const;

/** Shows the form to request a demo or a contact by the team. Only the visitor's click sends it. */
export function DemoForm({ gateway, title, offered }: DemoFormProps) {
  const [outcome, setOutcome] = useState<'open' | 'sending' | 'sent' | Error>('open');
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const filled = [...new FormData(event.currentTarget)].filter(([, value]) => value !== '');
    setOutcome('sending');
    requestDemo(gateway, Object.fromEntries(filled) as Record<string, string>).then(
      () => setOutcome('sent'),
      (error: unknown) => setOutcome(error as Error),
    );
  };
  if (outcome === 'sent') return <p role="status">Thank you. We will be in touch.</p>;
  return (
    <form aria-label={title} onSubmit={send}>
      {fields.map(({ name, label, ...input }) => (
        <p key={name}>
          <label>
            {label} <input name={name} defaultValue={offered[name]} {...input} />
          </label>
        </p>
      ))}
      {longFields.map(({ name, label }) => (
        <p key={name}>
          <label>
            {label} <textarea name={name} defaultValue={offered[name]} />
          </label>
        </p>
      ))}
      <button disabled={outcome === 'sending'}>{title}</button>
      {outcome instanceof Error && <p role="alert">{outcome.message}</p>}
    </form>
  );
}
