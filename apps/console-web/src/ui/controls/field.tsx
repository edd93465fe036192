import { type ComponentProps, type ReactNode, useId } from 'react';
import css from './controls.module.css';
import { useFault } from './form.tsx';

interface FieldProps {
  /** The field's name in the body; a fault of it, or of something in it, is shown beside it. */
  name: string;
  label: string;
  hint?: ReactNode;
}

type InputProps = FieldProps & Omit<ComponentProps<'input'>, 'name' | 'className' | 'id'>;

export function TextField({ name, label, hint, ...rest }: InputProps) {
  const { ids, fault } = useField(name);
  return (
    <Labelled {...{ ids, label, hint, fault }}>
      <input type="text" autoComplete="off" {...rest} {...ids.control} name={name} className={css.input} />
    </Labelled>
  );
}

export function TextArea({
  name,
  label,
  hint,
  ...rest
}: FieldProps & Omit<ComponentProps<'textarea'>, 'name' | 'className' | 'id'>) {
  const { ids, fault } = useField(name);
  return (
    <Labelled {...{ ids, label, hint, fault }}>
      <textarea rows={2} {...rest} {...ids.control} name={name} className={css.input} />
    </Labelled>
  );
}

export function SelectField({
  name,
  label,
  hint,
  options,
  ...rest
}: FieldProps & Omit<ComponentProps<'select'>, 'name' | 'className' | 'id'> & { options: readonly Option[] }) {
  const { ids, fault } = useField(name);
  return (
    <Labelled {...{ ids, label, hint, fault }}>
      <select {...rest} {...ids.control} name={name} className={css.input}>
        {options.map(([value, text, isOff]) => (
          <option key={value} value={value} disabled={isOff}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** A value, how it is called, and whether it is shown without being there to be chosen. */
export type Option = readonly [value: string, text: string, isOff?: boolean];

export function CheckboxGroup({
  name,
  label,
  hint,
  options,
  defaults = [],
}: FieldProps & { options: readonly Option[]; defaults?: readonly string[] }) {
  const { ids, fault } = useField(name);
  return (
    <fieldset className={css.field} aria-describedby={ids.control['aria-describedby']}>
      <legend className={css.label}>{label}</legend>
      {options.map(([value, text], at) => (
        <label key={value} className={css.check}>
          <input
            type="checkbox"
            name={name}
            value={value}
            defaultChecked={defaults.includes(value)}
            aria-invalid={fault && at === 0 ? true : undefined}
          />
          <span>
            <code>{value}</code> <span className={css.hint}>{text}</span>
          </span>
        </label>
      ))}
      <Below {...{ ids, hint, fault }} />
    </fieldset>
  );
}

export function Checkbox({ children, ...rest }: Omit<ComponentProps<'input'>, 'className' | 'type'>) {
  return (
    <label className={css.check}>
      <input type="checkbox" {...rest} />
      <span>{children}</span>
    </label>
  );
}

function useField(name: string) {
  const id = useId();
  const fault = useFault(name);
  const control = { id, 'aria-describedby': `${id}-hint ${id}-fault`, 'aria-invalid': fault ? true : undefined };
  return { fault, ids: { id, control } };
}

interface Parts {
  ids: ReturnType<typeof useField>['ids'];
  hint: ReactNode;
  fault: string | undefined;
}

function Labelled({ label, children, ...below }: Parts & { label: string; children: ReactNode }) {
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={below.ids.id}>
        {label}
      </label>
      {children}
      <Below {...below} />
    </div>
  );
}

function Below({ ids, hint, fault }: Parts) {
  return (
    <>
      <div id={`${ids.id}-fault`} className={css.fault} role={fault ? 'alert' : undefined}>
        {fault}
      </div>
      <div id={`${ids.id}-hint`} className={css.hint}>
        {hint}
      </div>
    </>
  );
}
