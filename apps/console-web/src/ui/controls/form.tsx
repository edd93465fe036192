import { createContext, type FormEvent, type ReactNode, use, useEffect, useRef, useState } from 'react';
import { type ApiFailure, asFailure, faultsOf } from '../../api/failure.ts';
import { Trouble } from '../data/trouble.tsx';
import { Button } from './button.tsx';
import css from './controls.module.css';

const Faults = createContext<ApiFailure | undefined>(undefined);

/** What the server says of a field, or of something in it (`origins.1` of `origins`). */
export function useFault(name: string): string | undefined {
  return faultsOf(use(Faults), name);
}

interface FormProps<Answer> {
  /** Sends what the fields hold. What it throws is shown: beside the fields that it names, the rest above them. */
  send: (data: FormData) => Promise<Answer>;
  onDone?: (answer: Answer) => void;
  children: ReactNode | ((isBusy: boolean) => ReactNode);
  label?: string;
  /** What the fields hold, at every change. */
  onInput?: (data: FormData) => void;
}

/** A form whose one validator is the server. Nothing that was typed is lost by a failure; a second submit waits. */
export function Form<Answer>({ send, onDone, children, label, onInput }: FormProps<Answer>) {
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const [unplaced, setUnplaced] = useState<string[]>([]);
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
      const answer = await send(new FormData(event.currentTarget));
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
        onInput={onInput && ((event) => onInput(new FormData(event.currentTarget)))}
      >
        {failure && (!failure.details.length || unplaced.length > 0) && <Trouble failure={failure} more={unplaced} />}
        {typeof children === 'function' ? children(isBusy) : children}
      </form>
    </Faults>
  );
}

function faultsWithoutField(failure: ApiFailure, form: HTMLFormElement): string[] {
  const names = new Set(Array.from(form.elements, (element) => element.getAttribute('name')));
  return failure.details.filter(({ field }) => !names.has(field.split('.')[0]!)).map(({ message }) => message);
}

/** What ends a form in a dialog. */
export function FormActions({ act, isBusy, onCancel }: { act: string; isBusy: boolean; onCancel: () => void }) {
  return (
    <div className={css.actions}>
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" look="primary" isBusy={isBusy}>
        {act}
      </Button>
    </div>
  );
}
