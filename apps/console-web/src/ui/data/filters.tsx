import type { ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import type { Option } from '../controls/field.tsx';
import css from './data.module.css';

/** What a list is narrowed by; it stands in the address. */
export function Filters({ onClear, children }: { onClear?: () => void; children: ReactNode }) {
  return (
    <div className={css.filters} role="group" aria-label="Filters">
      {children}
      {onClear && (
        <Button look="quiet" onClick={onClear}>
          Show all
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
  /** What it is where nothing is chosen. */
  anyName?: string;
}

export function SelectFilter<Value extends string>({
  label,
  value,
  options,
  onChange,
  anyName = 'any',
}: SelectFilterProps<Value>) {
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
