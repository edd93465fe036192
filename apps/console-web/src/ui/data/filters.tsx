import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../controls/button.tsx';
import type { Option } from '../controls/field.tsx';
import css from './data.module.css';
import { toInstant, localMinute, useAreTimesUtc } from './time.tsx';

export function Filters({ onClear, children }: { onClear?: () => void; children: ReactNode }) {
  return (
    <div className={css.filters} role="group" aria-label="Filters">
      {children}
      {onClear && (
        <Button variant="quiet" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

interface SelectFilterProps<Value extends string> {
  label: string;
  value: Value | undefined;
  options: readonly Option[];
  onChange: (value: Value | undefined) => void;
  /** Label of the option that does not filter. */
  anyName?: string;
}

export function SelectFilter<Value extends string>(props: SelectFilterProps<Value>) {
  const { label, value, options, onChange, anyName = 'Any' } = props;
  return (
    <label className={css.filter}>
      <span>{label}</span>
      <select
        value={value ?? ''}
        onChange={(event) => onChange((event.target.value || undefined) as Value | undefined)}
      >
        <option value="">{anyName}</option>
        {options.map(([of, text]) => (
          <option key={of} value={of}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Shows a filter that was chosen elsewhere, with a button that removes it. */
export function ChosenFilter({ children, onClear }: { children: string; onClear: () => void }) {
  return (
    <Button onClick={onClear} aria-label={`Remove filter: ${children}`}>
      {children} <span aria-hidden>×</span>
    </Button>
  );
}

interface TimeFilterProps {
  label: string;
  /** An instant, shown to the minute in the selected time zone. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Applies the value on blur or Enter, because a half-typed date is a valid but different date. */
export function TimeFilter({ label, value, onChange }: TimeFilterProps) {
  const input = useRef<HTMLInputElement>(null);
  const isUtc = useAreTimesUtc();
  const shown = value === undefined ? '' : localMinute(value);
  useEffect(() => {
    input.current!.value = shown;
  }, [shown]);
  const take = () => {
    const typed = input.current!.value;
    if (typed !== shown) onChange(toInstant(typed));
  };
  return (
    <label className={css.filter}>
      <span>
        {label}
        {isUtc && ' (UTC)'}
      </span>
      <input ref={input} type="datetime-local" onBlur={take} onKeyDown={(event) => event.key === 'Enter' && take()} />
    </label>
  );
}
