import type { TargetedEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Gateway } from '../chat/gateway-client.ts';
import { icons } from '../panel/icons.tsx';
import { useSecondsUntil } from '../panel/use-countdown.ts';
import { sendDemoRequest } from './demo-client.ts';
import {
  demoBody,
  type DemoInput,
  type DemoProblems,
  demoProblems,
  optionalFields,
  requiredFields,
} from './demo-fields.ts';
import { FieldView } from './field.view.tsx';

const words = {
  demo: { title: 'Book a demo', icon: icons.calendar, submit: 'Request a demo' },
  contact: { title: 'Talk to us', icon: icons.chat, submit: 'Send request' },
};

interface DemoFormProps {
  /** The visitor's wish: a demo, or contact with a person. */
  form: 'demo' | 'contact';
  /** Initial values. */
  input: DemoInput;
  gateway: Gateway;
  /** Called when the request has reached the service. */
  onSettled: (outcome: 'sent' | 'kept') => void;
}

/** Shows a form that asks for a demo or a reply from the team. Only the visitor's own click sends it, and only once. */
export function DemoForm({ form: asked, input, ...options }: DemoFormProps) {
  const { problems, seconds, isSending, onSubmit, forget } = useSending(options);
  const [body, setBody] = useState(() => demoBody(input));
  const onInput = ({ target, currentTarget }: TargetedEvent<HTMLFormElement>) => {
    setBody(bodyIn(currentTarget));
    forget((target as HTMLInputElement).name);
  };
  const { title, icon, submit } = words[asked];
  return (
    <form class="card demo-form" part="demo-form" noValidate aria-label={title} {...{ onSubmit, onInput }}>
      <p class="card-title">
        {icon}
        {title}
      </p>
      <FieldGroup fields={requiredFields} {...{ input, problems }} />
      <MoreFields {...{ input, body, problems }} />
      <p class="form-problem" role="alert">
        {seconds > 0 ? 'Too many requests were sent from here. Please wait a moment.' : problems.form}
      </p>
      <button type="submit" class="primary" part="demo-submit" aria-disabled={isSending || seconds > 0}>
        {seconds > 0 ? `Try again in ${seconds} s` : isSending ? 'Sending…' : submit}
      </button>
    </form>
  );
}

const bodyIn = (form: HTMLFormElement) => demoBody(Object.fromEntries(new FormData(form)));

/** Checks and sends the fields of a demo form. `seconds` is the time until the form may be sent again. */
function useSending({ gateway, onSettled }: Pick<DemoFormProps, 'gateway' | 'onSettled'>) {
  const [problems, setProblems] = useState<DemoProblems>({});
  const [until, setUntil] = useState(0);
  const [isSending, setIsSending] = useState(false);
  // State changes only with the next rendering. A second click can come before that.
  const isUnderway = useRef(false);
  const seconds = useSecondsUntil(until);
  const show = (found: DemoProblems, form: HTMLElement) => {
    setProblems(found);
    if (Object.keys(found).length > 0) requestAnimationFrame(() => showProblems(form));
  };
  const send = async (body: DemoInput, form: HTMLElement) => {
    isUnderway.current = true;
    setIsSending(true);
    const outcome = await sendDemoRequest(gateway, body);
    isUnderway.current = false;
    setIsSending(false);
    if (outcome.kind === 'problems') show(outcome.problems, form);
    else if (outcome.kind === 'wait') setUntil(outcome.until);
    else onSettled(outcome.kind);
  };
  const onSubmit = (event: TargetedEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isUnderway.current || seconds > 0) return;
    const form = event.currentTarget;
    const body = bodyIn(form);
    const found = demoProblems(body);
    show(found, form);
    if (Object.keys(found).length === 0) void send(body, form);
  };
  const forget = (name: string) => setProblems({ ...problems, [name]: undefined });
  return { problems, seconds, isSending, onSubmit, forget };
}

/** Scrolls to the whole form with its button, unfolds all fields with a problem, and focuses the first one. */
function showProblems(form: HTMLElement): void {
  const fields = [...form.querySelectorAll<HTMLElement>('[aria-invalid="true"]')];
  for (const field of fields) field.closest('details')?.setAttribute('open', '');
  form.scrollIntoView({ block: 'nearest' });
  fields[0]?.focus();
}

interface FieldsProps {
  input: DemoInput;
  problems: DemoProblems;
}

function FieldGroup({
  fields,
  input,
  problems,
}: FieldsProps & { fields: typeof requiredFields | typeof optionalFields }) {
  return (
    <div class="fields">
      {fields.map((field) => (
        <FieldView key={field.name} field={field} value={input[field.name] ?? ''} problem={problems[field.name]} />
      ))}
    </div>
  );
}

/**
 * Shows the optional fields, folded so that the form fits into the panel. Some may have values from the conversation.
 */
function MoreFields({ body, ...fields }: FieldsProps & { body: DemoInput }) {
  const filled = optionalFields.filter(({ name }) => body[name]).length;
  return (
    <details class="more">
      <summary>More details ({filled === 0 ? 'optional' : `${filled} filled in`})</summary>
      <FieldGroup fields={optionalFields} {...fields} />
    </details>
  );
}
