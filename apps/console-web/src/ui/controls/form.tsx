import { createContext, type ReactNode, type RefObject, use, useEffect, useRef, useState } from 'react';
import { type ApiFailure, fieldFaults, placedText } from '../../api/failure.ts';
import { ErrorAlert } from '../data/error-alert.tsx';
import { useUnsaved } from '../unsaved.ts';
import { useAction } from '../../api/use-action.ts';
import { Button, type ButtonProps } from './button.tsx';
import css from './controls.module.css';

const FormState = createContext<{ isBusy: boolean; failure: ApiFailure | undefined } | undefined>(undefined);

/** Returns the server's message about a field or a part of it (`origins.1` of `origins`). */
export function useFault(name: string): string | undefined {
  return fieldFaults(use(FormState)?.failure, name);
}

interface FormProps<Output> {
  /**
   * Sends the values of the fields. Errors that name a field are shown beside this field, and other errors above the
   * fields.
   */
  send: (data: FormData) => Promise<Output>;
  onDone?: (output: Output) => void;
  children: ReactNode;
  label?: string;
  /** Called with the values of the fields, initially and after every change. */
  onInput?: (data: FormData) => void;
  /** True to discard the input without asking, such as a password to sign in or a typed confirmation. */
  isThrowaway?: boolean;
  /** True to empty the fields after sending, for a secret in a form that stays on the page. */
  isEmptied?: boolean;
  /** A search parameter whose change removes the form from the page. */
  lostWith?: string | undefined;
}

/**
 * A form that the server validates. A failure keeps the input; a second submit is ignored while the first is running.
 */
export function Form<Output>({
  send,
  onDone,
  children,
  label,
  onInput,
  isThrowaway = false,
  isEmptied = false,
  lostWith,
}: FormProps<Output>) {
  const form = useRef<HTMLFormElement>(null);
  const [unplaced, setUnplaced] = useState<string[]>([]);
  const draft = useDraft(form, { isThrowaway, lostWith });
  const { isBusy, failure, attempt } = useAction(async (data: FormData) => {
    const output = await send(data);
    if (isEmptied) form.current?.reset();
    draft.saved(isEmptied && form.current ? new FormData(form.current) : data);
    onDone?.(output);
  });
  useEffect(() => onInput?.(new FormData(form.current!)), []);
  useEffect(() => {
    setUnplaced(failure ? faultsWithoutField(failure, form.current!) : []);
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [failure]);
  return (
    <FormState value={{ isBusy, failure }}>
      <form
        ref={form}
        className={css.form}
        aria-label={label}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(new FormData(event.currentTarget));
        }}
        onInput={(event) => {
          draft.touched();
          onInput?.(new FormData(event.currentTarget));
        }}
      >
        {failure && (!failure.details.length || unplaced.length > 0) && (
          <ErrorAlert failure={failure} more={unplaced} />
        )}
        {children}
      </form>
    </FormState>
  );
}

function faultsWithoutField(failure: ApiFailure, form: HTMLFormElement): string[] {
  const names = new Set(Array.from(form.elements, (element) => element.getAttribute('name')));
  return failure.details.filter(({ field }) => !names.has(field.split('.')[0]!)).map(placedText);
}

/** Tracks whether the fields differ from their initial or last saved values. */
function useDraft(
  form: RefObject<HTMLFormElement | null>,
  { isThrowaway, lostWith }: { isThrowaway: boolean; lostWith: string | undefined },
) {
  const kept = useRef('');
  // Default values that are set later do not count as the person's changes.
  const isTouched = useRef(false);
  useEffect(() => void (kept.current = textIn(new FormData(form.current!))), [form]);
  const isUnsaved = () =>
    isTouched.current && !isThrowaway && form.current !== null && textIn(new FormData(form.current)) !== kept.current;
  useUnsaved(isUnsaved, { form, lostWith });
  return {
    touched: () => void (isTouched.current = true),
    saved: (data: FormData) => void (kept.current = textIn(data)),
  };
}

/** Returns the input as a string, to compare it. Empty and missing fields are equal. */
const textIn = (data: FormData) => JSON.stringify([...data].filter(([, value]) => value !== ''));

export function SubmitButton(props: Pick<ButtonProps, 'variant' | 'disabled' | 'children'>) {
  return <Button {...props} type="submit" isBusy={use(FormState)?.isBusy} />;
}

export function FormActions({ act }: { act: string }) {
  return (
    <div className={css.actions}>
      <Button onClick={use(CloseDialog)}>Cancel</Button>
      <SubmitButton variant="primary">{act}</SubmitButton>
    </div>
  );
}

export function readText(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}

export function readLines(data: FormData, name: string): string[] {
  const lines = readText(data, name).split('\n');
  return lines.map((line) => line.trim()).filter(Boolean);
}

/** Returns only the values that differ from `before`, so that saving them does not undo changes by others. */
export function changedValues<Values extends Record<string, unknown>>(before: Values, now: Values): Partial<Values> {
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.entries(now).filter(isChanged)) as Partial<Values>;
}

/** Closes the surrounding dialog, and asks first if a form in it has unsaved input. */
export const CloseDialog = createContext<(() => void) | undefined>(undefined);
