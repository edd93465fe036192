import { createContext, type FormEvent, type ReactNode, type RefObject, use, useEffect, useRef, useState } from 'react';
import { type ApiFailure, asFailure, faultsOf, placedText } from '../../api/failure.ts';
import { Trouble } from '../data/trouble.tsx';
import { useUnsaved } from '../unsaved.ts';
import { Button } from './button.tsx';
import css from './controls.module.css';

const Faults = createContext<ApiFailure | undefined>(undefined);

/** Returns the server's message about a field or a part of it (`origins.1` of `origins`). */
export function useFault(name: string): string | undefined {
  return faultsOf(use(Faults), name);
}

interface FormProps<Answer> {
  /**
   * Sends what the fields hold. Errors that it throws are shown beside the fields that they name, others above the
   * fields.
   */
  send: (data: FormData) => Promise<Answer>;
  onDone?: (answer: Answer) => void;
  children: ReactNode | ((isBusy: boolean) => ReactNode);
  label?: string;
  /** Called with the values of the fields at first and at every change. */
  onInput?: (data: FormData) => void;
  /** Input that nobody misses: a password to sign in, a word that confirms. */
  isThrowaway?: boolean;
}

/** A form whose one validator is the server. Nothing that was typed is lost by a failure; a second submit waits. */
export function Form<Answer>({ send, onDone, children, label, onInput, isThrowaway = false }: FormProps<Answer>) {
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const [unplaced, setUnplaced] = useState<string[]>([]);
  const draft = useDraft(form, isThrowaway);
  useEffect(() => onInput?.(new FormData(form.current!)), []);
  useEffect(() => {
    setUnplaced(failure ? faultsWithoutField(failure, form.current!) : []);
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [failure]);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      // Not within the call: what a function that is not there is called with is not evaluated.
      const data = new FormData(event.currentTarget);
      const answer = await send(data);
      draft.saved(data);
      onDone?.(answer);
    } catch (error) {
      setFailure(asFailure(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Faults value={failure}>
      <form
        ref={form}
        className={css.form}
        aria-label={label}
        noValidate
        onSubmit={(event) => void submit(event)}
        onInput={(event) => {
          draft.touched();
          onInput?.(new FormData(event.currentTarget));
        }}
      >
        {failure && (!failure.details.length || unplaced.length > 0) && <Trouble failure={failure} more={unplaced} />}
        {typeof children === 'function' ? children(isBusy) : children}
      </form>
    </Faults>
  );
}

function faultsWithoutField(failure: ApiFailure, form: HTMLFormElement): string[] {
  const names = new Set(Array.from(form.elements, (element) => element.getAttribute('name')));
  return failure.details.filter(({ field }) => !names.has(field.split('.')[0]!)).map(placedText);
}

/** Compares the fields with what they held at first, or when they were last saved. */
function useDraft(form: RefObject<HTMLFormElement | null>, isThrowaway: boolean) {
  const kept = useRef('');
  // Fields that get their values late have not been changed by anybody.
  const isTouched = useRef(false);
  useEffect(() => void (kept.current = textIn(new FormData(form.current!))), [form]);
  const isUnsaved = () =>
    isTouched.current && !isThrowaway && form.current !== null && textIn(new FormData(form.current)) !== kept.current;
  useUnsaved(isUnsaved, { form });
  return {
    touched: () => void (isTouched.current = true),
    saved: (data: FormData) => void (kept.current = textIn(data)),
  };
}

/** An empty field is the same as one that is not there. */
const textIn = (data: FormData) => JSON.stringify([...data].filter(([, value]) => value !== ''));

/** The buttons at the end of a form in a dialog. */
export function FormActions({ act, isBusy }: { act: string; isBusy: boolean }) {
  return (
    <div className={css.actions}>
      <Button onClick={use(CloseDialog)}>Cancel</Button>
      <Button type="submit" look="primary" isBusy={isBusy}>
        {act}
      </Button>
    </div>
  );
}

/** Returns the value of a text field, or an empty string if there is none. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}

/** The lines of a text field, without empty ones. */
export function linesOf(data: FormData, name: string): string[] {
  const lines = textOf(data, name).split('\n');
  return lines.map((line) => line.trim()).filter(Boolean);
}

/** Closes the dialog around, and asks first if a form in it has unsaved input. */
export const CloseDialog = createContext<(() => void) | undefined>(undefined);
