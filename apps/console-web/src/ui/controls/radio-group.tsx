import { type ReactNode, useId } from 'react';
import css from './controls.module.css';

interface Choice<Value extends string> {
  value: Value;
  label: string;
  about: ReactNode;
}

interface RadioGroupProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly Choice<Value>[];
  onChange: (value: Value) => void;
}

export function RadioGroup<Value extends string>({ label, value, choices, onChange }: RadioGroupProps<Value>) {
  const name = useId();
  return (
    <fieldset className={css.field}>
      <legend className={css.label}>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={css.check}>
          <input
            type="radio"
            name={name}
            aria-label={choice.label}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>
            {choice.label}
            <span className={css.hint}> {choice.about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
