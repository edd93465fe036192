import { type KeyboardEvent, type ReactNode, useId } from 'react';
import controls from '../../ui/controls/controls.module.css';
import { Button } from '../../ui/controls/button.tsx';
import css from './map.module.css';

interface MapFieldProps {
  label: string;
  about?: string;
  value: string;
  placeholder?: string;
  fault: string | undefined;
  /** Result to show below the field if there is no error. */
  result?: ReactNode;
  suggestion?: string | undefined;
  isSelected: boolean;
  isMultiline?: boolean;
  onSelect: () => void;
  onChange: (value: string) => void;
}

/**
 * A field for a path or expression. A click on a value of the sample inserts its path or expression. In an empty field,
 * Enter accepts the suggestion.
 */
export function MapField({ label, about, value, fault, result, suggestion, ...rest }: MapFieldProps) {
  const id = useId();
  const { isSelected, isMultiline, onSelect, onChange, placeholder } = rest;
  const isSuggested = suggestion !== undefined && value === '';
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !isSuggested) return;
    event.preventDefault();
    onChange(suggestion);
  };
  const control = {
    id,
    value,
    placeholder,
    className: `${controls.input} ${css.source}`,
    autoComplete: 'off',
    spellCheck: false,
    'aria-describedby': `${id}-below`,
    'aria-invalid': fault ? true : undefined,
    onFocus: onSelect,
    onKeyDown,
  };
  return (
    <div className={css.field} data-selected={isSelected || undefined}>
      <label htmlFor={id} className={controls.label}>
        {label} {about && <span className={css.name}>{about}</span>}
      </label>
      {isMultiline ? (
        <textarea rows={2} {...control} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input type="text" {...control} onChange={(event) => onChange(event.target.value)} />
      )}
      <div id={`${id}-below`} className={fault ? controls.fault : controls.hint}>
        {fault ?? result}
      </div>
      {isSuggested && (
        <Button variant="link" onClick={() => onChange(suggestion)}>
          Use {suggestion}
        </Button>
      )}
    </div>
  );
}
