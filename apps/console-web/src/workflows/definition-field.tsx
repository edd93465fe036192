import { useId, useMemo, useRef } from 'react';
import type { DefinitionFault } from '../api/types.ts';
import { useFault } from '../ui/controls/form.tsx';
import css from './workflows.module.css';

interface DefinitionFieldProps {
  text: string;
  faults: readonly DefinitionFault[];
  /** Line of the step that the URL of the page names. */
  marked: number | undefined;
  isReadOnly: boolean;
  onChange: (text: string) => void;
}

export function DefinitionField({ text, faults, marked, isReadOnly, onChange }: DefinitionFieldProps) {
  const id = useId();
  const fault = useFault('text');
  const gutter = useRef<HTMLPreElement>(null);
  const numbers = useMemo(() => lineNumbers(text, faults, marked), [text, faults, marked]);
  return (
    <div className={css.field}>
      <label htmlFor={id}>Definition (JSON)</label>
      <div className={css.code}>
        <pre ref={gutter} className={css.gutter} aria-hidden>
          {numbers}
        </pre>
        <textarea
          id={id}
          name="text"
          value={text}
          readOnly={isReadOnly}
          rows={24}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          aria-describedby={`${id}-fault`}
          aria-invalid={fault || faults.length > 0 ? true : undefined}
          data-definition
          onChange={(event) => onChange(event.target.value)}
          onScroll={({ currentTarget }) => void (gutter.current!.scrollTop = currentTarget.scrollTop)}
        />
      </div>
      <div id={`${id}-fault`} className={css.fieldFault} role={fault ? 'alert' : undefined}>
        {fault}
      </div>
    </div>
  );
}

function lineNumbers(text: string, faults: readonly DefinitionFault[], marked: number | undefined): string {
  const faulty = new Set(faults.map(({ line }) => line));
  return text
    .split('\n')
    .map((_, i) => (faulty.has(i + 1) ? `✕ ${i + 1}` : i + 1 === marked ? `▸ ${i + 1}` : i + 1))
    .join('\n');
}

export function definitionElement(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>('textarea[data-definition]');
}

/** Selects a line of the text, and scrolls to it. */
export function goToLine(line: number): void {
  const lines = definitionElement()?.value.split('\n') ?? [];
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  selectIn(start, start + (lines[line - 1]?.length ?? 0));
}

export function selectIn(start: number, end: number): void {
  const field = definitionElement();
  if (!field) return;
  field.focus();
  field.setSelectionRange(start, end);
  const linesBefore = field.value.slice(0, start).split('\n').length - 1;
  const lineHeight = field.scrollHeight / field.value.split('\n').length;
  field.scrollTop = Math.max(0, linesBefore * lineHeight - field.clientHeight / 2);
}
