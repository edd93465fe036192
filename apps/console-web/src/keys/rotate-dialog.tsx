import type { ReactNode } from 'react';
import { SelectField } from '../ui/controls/field.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import type { Key, OperationId } from '../api/types.ts';
import { readText } from '../ui/controls/form.tsx';
import { useOrg } from '../shell/org.ts';
import type { MadeKey } from './made-key.tsx';

const overlaps = [
  ['86400', 'After 1 day'],
  ['3600', 'After 1 hour'],
  ['604800', 'After 7 days'],
  ['2592000', 'After 30 days'],
  ['0', 'Immediately'],
] as const;

const durations: Record<string, string> = { 3600: '1h', 86400: '1d', 604800: '7d', 2592000: '30d' };

/** Returns the option of the CLI: `--overlap 1h`. */
function overlapOption(data: FormData): string[] {
  const duration = durations[readText(data, 'overlap_seconds')];
  return duration ? option('overlap', duration) : [];
}

interface RotateDialogProps<Output> {
  title: string;
  what: 'key' | 'secret';
  intro?: ReactNode;
  /** The CLI command without the overlap: `['keys', 'rotate', id]`. */
  command: readonly string[];
  rotate: (body: { overlap_seconds: number }, data: FormData) => Promise<Output>;
  refreshes: readonly OperationId[];
  onClose: () => void;
  onDone: (output: Output) => void;
  lostWith?: string;
  children?: ReactNode;
}

/** Rotates a credential. The person chooses how long the old one remains valid. */
export function RotateDialog<Output>({ what, command, rotate, children, ...rest }: RotateDialogProps<Output>) {
  return (
    <FormDialog
      {...rest}
      act={`Rotate ${what}`}
      send={(data) => rotate({ overlap_seconds: Number(readText(data, 'overlap_seconds')) }, data)}
      command={(data) => relata(...command, ...overlapOption(data))}
    >
      <SelectField name="overlap_seconds" label={`The old ${what} stops working`} options={overlaps} />
      {children}
    </FormDialog>
  );
}

interface RotateKeyProps {
  apiKey: Key;
  onClose: () => void;
  onMade: (made: MadeKey) => void;
}

export function RotateKeyDialog({ apiKey, onClose, onMade }: RotateKeyProps) {
  const { call } = useOrg();
  return (
    <RotateDialog
      title={`Rotate ${apiKey.name}`}
      what="key"
      intro={
        <p>
          Creates a new key with the same permissions. Both keys work for the time you choose, so that you can switch
          without downtime.
        </p>
      }
      command={['keys', 'rotate', apiKey.id]}
      rotate={(body) => call('rotateKey', { params: { id: apiKey.id }, body })}
      refreshes={['listKeys']}
      onClose={onClose}
      onDone={({ data }) => onMade(data)}
    />
  );
}
