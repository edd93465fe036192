import type { RefObject, TargetedEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Gateway } from '../chat/gateway-client.ts';
import { useSecondsUntil } from '../panel/use-countdown.ts';
import { sendDemoRequest } from './demo-client.ts';
import {
  demoBody,
  type DemoFieldName,
  type DemoInput,
  type DemoProblems,
  demoProblems,
  optionalFields,
} from './demo-fields.ts';

export interface DemoFormOptions {
  /** The visitor's wish: somebody to talk to, or a demo. */
  form: 'demo' | 'contact';
  /** Initial values. */
  input: DemoInput;
  gateway: Gateway;
  /** Called when the request has reached the service. */
  onSettled: (outcome: 'sent' | 'kept') => void;
}

export interface DemoFormState {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly values: DemoInput;
  readonly problems: DemoProblems;
  /** Whole seconds until it may be sent again; 0 if there is no wait. */
  readonly seconds: number;
  readonly isSending: boolean;
  /** True if the optional fields are shown. */
  readonly isUnfolded: boolean;
  setIsUnfolded(isUnfolded: boolean): void;
  change(name: DemoFieldName, value: string): void;
  submit(event: TargetedEvent): void;
}

/** Holds, checks and sends the fields of a demo form. */
export function useDemoForm({ input, gateway, onSettled }: Omit<DemoFormOptions, 'form'>): DemoFormState {
  const [values, setValues] = useState(input);
  const [problems, setProblems] = useState<DemoProblems>({});
  const [until, setUntil] = useState(0);
  const [isSending, setIsSending] = useState(false);
  const [isUnfolded, setIsUnfolded] = useState(false);
  // State changes with the next rendering, and a second click may come before.
  const isUnderway = useRef(false);
  const form = useRef<HTMLFormElement>(null);
  const seconds = useSecondsUntil(until);

  const change = (name: DemoFieldName, value: string) => {
    setValues({ ...values, [name]: value });
    setProblems({ ...problems, [name]: undefined });
  };
  const show = (found: DemoProblems) => {
    setProblems(found);
    if (optionalFields.some(({ name }) => found[name])) setIsUnfolded(true);
    if (Object.keys(found).length > 0) requestAnimationFrame(() => showProblems(form.current));
  };
  const send = async (body: DemoInput) => {
    isUnderway.current = true;
    setIsSending(true);
    const outcome = await sendDemoRequest(gateway, body);
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
  return { form, values, problems, seconds, isSending, isUnfolded, setIsUnfolded, change, submit };
}

/** Scrolls to the whole form with its button, and focuses the first invalid field. */
function showProblems(form: HTMLElement | null): void {
  form?.scrollIntoView({ block: 'nearest' });
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
