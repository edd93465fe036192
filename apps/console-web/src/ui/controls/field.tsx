import { type ComponentProps, type ReactNode, useId } from 'react';
import css from './controls.module.css';
import { useFault } from './form.tsx';

interface FieldProps {
  /** Name of the field in the body. Errors of the field or of a part of it are shown beside it. */
  name: string;
  label: string;
  hint?: ReactNode;
}

type ControlProps<Tag extends 'input' | 'textarea' | 'select'> = FieldProps &
  Omit<ComponentProps<Tag>, 'name' | 'className' | 'id'>;

export function TextField({ name, label, hint, ...rest }: ControlProps<'input'>) {
  return (
    <Labelled {...{ name, label, hint }}>
      {(control) => <input type="text" autoComplete="off" {...rest} {...control} />}
    </Labelled>
  );
}

export function TextArea({ name, label, hint, ...rest }: ControlProps<'textarea'>) {
  return <Labelled {...{ name, label, hint }}>{(control) => <textarea rows={2} {...rest} {...control} />}</Labelled>;
}

interface SelectProps extends ControlProps<'select'> {
  options: readonly Option[];
  /** Further options, in groups with a heading. */
  groups?: readonly (readonly [heading: string, options: readonly Option[]])[];
}

export function SelectField({ name, label, hint, options, groups = [], ...rest }: SelectProps) {
  return (
    <Labelled {...{ name, label, hint }}>
      {(control) => (
        <select {...rest} {...control}>
          <Options options={options} />
          {groups.map(
            ([heading, grouped]) =>
              grouped.length > 0 && (
                <optgroup key={heading} label={heading}>
                  <Options options={grouped} />
                </optgroup>
              ),
          )}
        </select>
      )}
    </Labelled>
  );
}

function Options({ options }: { options: readonly Option[] }) {
  return options.map(([value, text, isOff]) => (
    <option key={value} value={value} disabled={isOff}>
      {text}
    </option>
  ));
}

/** A value, its label, and true if it is shown but cannot be chosen. */
export type Option = readonly [value: string, text: string, isOff?: boolean];

export function CheckboxGroup({ label, options, ...field }: FieldProps & { options: readonly Option[] }) {
  const { fault, control, below } = useField(field);
  return (
    <fieldset className={css.field} aria-describedby={control['aria-describedby']}>
      <legend className={css.label}>{label}</legend>
      {options.map(([value, text], at) => (
        <label key={value} className={css.check}>
          <input type="checkbox" name={field.name} value={value} aria-invalid={fault && at === 0 ? true : undefined} />
          <span>
            <code>{value}</code> <span className={css.hint}>{text}</span>
          </span>
        </label>
      ))}
      {below}
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

function Labelled({ label, children, ...field }: FieldProps & { children: (control: Control) => ReactNode }) {
  const { control, below } = useField(field);
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={control.id}>
        {label}
      </label>
      {children(control)}
      {below}
    </div>
  );
}

type Control = ReturnType<typeof useField>['control'];

function useField({ name, hint }: Pick<FieldProps, 'name' | 'hint'>) {
  const id = useId();
  const fault = useFault(name);
  const below = (
    <>
      <div id={`${id}-fault`} className={css.fault} role={fault ? 'alert' : undefined}>
        {fault}
      </div>
      <div id={`${id}-hint`} className={css.hint}>
        {hint}
      </div>
    </>
  );
  const described = { 'aria-describedby': `${id}-hint ${id}-fault`, 'aria-invalid': fault ? true : undefined };
  return { fault, control: { id, name, className: css.input, ...described }, below };
}
