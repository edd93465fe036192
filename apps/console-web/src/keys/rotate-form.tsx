import { type ReactNode, useState } from 'react';
import { Terminal } from '../ui/controls/copy.tsx';
import { SelectField } from '../ui/controls/field.tsx';
import { Form, FormActions } from '../ui/controls/form.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';

const overlaps = [
  ['86400', '1 day'],
  ['3600', '1 hour'],
  ['604800', '7 days'],
  ['2592000', '30 days'],
  ['0', 'Stops working immediately'],
] as const;

const durations: Record<string, string> = { 3600: '1h', 86400: '1d', 604800: '7d', 2592000: '30d' };

/** `--overlap 1h`, as the tool takes it. */
function overlapOption(seconds: string): string[] {
  return durations[seconds] ? option('overlap', durations[seconds]) : [];
}

interface RotateFormProps<Answer> {
  what: 'key' | 'secret';
  /** The command of the terminal, without the overlap: `['keys', 'rotate', id]`. */
  command: readonly string[];
  rotate: (body: { overlap_seconds: number }, data: FormData) => Promise<Answer>;
  /** Fields beside the overlap. */
  children?: ReactNode;
  onDone: (answer: Answer) => void;
}

/** Exchanges a credential; for how long the old one goes on working is chosen. */
export function RotateForm<Answer>({ what, command, rotate, children, onDone }: RotateFormProps<Answer>) {
  const [overlap, setOverlap] = useState('86400');
  return (
    <Form send={(data) => rotate({ overlap_seconds: Number(overlap) }, data)} onDone={onDone}>
      {(isBusy) => (
        <>
          <SelectField
            name="overlap_seconds"
            label={`Keep the old ${what} for`}
            options={overlaps}
            value={overlap}
            onChange={(event) => setOverlap(event.target.value)}
          />
          {children}
          <FormActions act={`Rotate ${what}`} isBusy={isBusy} />
          <Terminal command={relata(...command, ...overlapOption(overlap))} />
        </>
      )}
    </Form>
  );
}
