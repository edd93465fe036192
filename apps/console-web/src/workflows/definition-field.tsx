import { type RefObject, useId, useMemo, useRef } from 'react';
import type { DefinitionFault } from '../api/types.ts';
import { useFault } from '../ui/controls/form.tsx';
import css from './workflows.module.css';

interface DefinitionFieldProps {
  text: string;
  faults: readonly DefinitionFault[];
  onChange: (text: string) => void;
}

/** The text with the numbers of its lines, of which those with a fault are marked. */
export function DefinitionField({ text, faults, onChange }: DefinitionFieldProps) {
  const id = useId();
  const fault = useFault('text');
  const gutter = useRef<HTMLPreElement>(null);
  const numbers = useMemo(() => lineNumbers(text, faults), [text, faults]);
  return (
    <div className={css.field}>
      <label htmlFor={id}>Definition, in JSON</label>
      <div className={css.code}>
        <pre ref={gutter} className={css.gutter} aria-hidden>
          {numbers}
        </pre>
        <textarea
          id={id}
          name="text"
          value={text}
          rows={24}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          aria-describedby={`${id}-fault`}
          aria-invalid={fault || faults.length > 0 ? true : undefined}
          data-definition
          onChange={(event) => onChange(event.target.value)}
          onScroll={(event) => scrollAlong(gutter, event.currentTarget.scrollTop)}
        />
      </div>
      <div id={`${id}-fault`} className={css.fieldFault} role={fault ? 'alert' : undefined}>
        {fault}
      </div>
    </div>
  );
}

function scrollAlong({ current }: RefObject<HTMLElement | null>, top: number): void {
  if (current) current.scrollTop = top;
}

function lineNumbers(text: string, faults: readonly DefinitionFault[]): string {
  const marked = new Set(faults.map(({ line }) => line));
  return text
    .split('\n')
    .map((_, i) => (marked.has(i + 1) ? `✕ ${i + 1}` : i + 1))
    .join('\n');
}

/** Selects a line of the text, and scrolls to it. */
export function goToLine(line: number): void {
  const field = document.querySelector<HTMLTextAreaElement>('textarea[data-definition]');
  if (!field) return;
  const lines = field.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  const lineHeight = field.scrollHeight / lines.length;
  field.scrollTop = Math.max(0, (line - 1) * lineHeight - field.clientHeight / 2);
}
