import type { TargetedEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Gateway } from '../chat/gateway.client.ts';
import { useSecondsUntil } from '../panel/countdown.hook.ts';
import { icons } from '../panel/icons.tsx';
import { sendDemoRequest } from './demo.client.ts';
import { FieldView } from './demo.field.tsx';
import { demoBody, demoFields, type DemoInput, type DemoProblems, demoProblems } from './demo.fields.ts';

interface DemoFormProps {
  input: DemoInput;
  gateway: () => Gateway;
  onSettled: (outcome: 'sent' | 'kept') => void;
}

/** Asks for a demo. Nothing is sent but by the visitor's own click, and only once. */
export function DemoForm({ input, gateway, onSettled }: DemoFormProps) {
  const [values, setValues] = useState(input);
  const [problems, setProblems] = useState<DemoProblems>({});
  const [until, setUntil] = useState(0);
  const [isSending, setIsSending] = useState(false);
  // State is set with the next drawing, which a second click can come before.
  const isUnderway = useRef(false);
  const form = useRef<HTMLFormElement>(null);
  const seconds = useSecondsUntil(until);

  const show = (found: DemoProblems) => {
    setProblems(found);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const send = async (body: DemoInput) => {
    isUnderway.current = true;
    setIsSending(true);
    const outcome = await sendDemoRequest(gateway(), body);
    isUnderway.current = false;
    setIsSending(false);
    if (outcome.kind === 'problems') show(outcome.problems);
    else if (outcome.kind === 'wait') setUntil(outcome.until);
    else onSettled(outcome.kind);
  };
  const submit = (event: TargetedEvent) => {
    event.preventDefault();
    if (isUnderway.current || seconds > 0) return;
    const body = demoBody(values);
    const found = demoProblems(body);
    show(found);
    if (Object.keys(found).length === 0) void send(body);
  };
  return (
    <form class="card demo-form" part="demo-form" ref={form} noValidate aria-label="Book a demo" onSubmit={submit}>
      <p class="card-title">
        {icons.calendar}
        Book a demo
      </p>
      <div class="fields">
        {demoFields.map((field) => (
          <FieldView
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            problem={problems[field.name]}
            onValue={(value) => {
              setValues({ ...values, [field.name]: value });
              setProblems({ ...problems, [field.name]: undefined });
            }}
          />
        ))}
      </div>
      <p class="form-problem" role="alert">
        {until > 0 && seconds > 0 ? 'Too many requests were sent from here. Please wait a moment.' : problems.form}
      </p>
      <button type="submit" class="primary" part="demo-submit" aria-disabled={isSending || seconds > 0}>
        {seconds > 0 ? `Try again in ${seconds} s` : isSending ? 'Sending…' : 'Request a demo'}
      </button>
    </form>
  );
}
