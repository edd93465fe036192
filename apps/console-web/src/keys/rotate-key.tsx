import { useState } from 'react';
import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Key } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Terminal } from '../ui/controls/copy.tsx';
import { SelectField } from '../ui/controls/field.tsx';
import { Form, FormActions } from '../ui/controls/form.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import type { MadeKey } from './made-key.tsx';

export const overlaps = [
  ['86400', 'for 1 day'],
  ['3600', 'for 1 hour'],
  ['604800', 'for 7 days'],
  ['2592000', 'for 30 days'],
  ['0', 'not at all: it ends at once'],
] as const;

const durations: Record<string, string> = { 3600: '1h', 86400: '1d', 604800: '7d', 2592000: '30d' };

/** `--overlap 1h`, as the tool takes it. */
export function overlapOption(seconds: string): string[] {
  return durations[seconds] ? option('overlap', durations[seconds]) : [];
}

interface RotateKeyProps {
  of: Key | undefined;
  onClose: () => void;
  onMade: (made: MadeKey) => void;
}

export function RotateKeyDialog({ of, onClose, onMade }: RotateKeyProps) {
  const org = useOrg();
  const [overlap, setOverlap] = useState('86400');
  if (!of) return null;
  const rotate = () =>
    call('rotateKey', { params: { org: org.id, id: of.id }, body: { overlap_seconds: Number(overlap) } });
  return (
    <Dialog isOpen onClose={onClose} title={`Rotate ${of.name}`}>
      <p>
        A new key with the same scopes takes its place. For a while both work, so that nothing stops while you exchange
        it.
      </p>
      <Form
        send={rotate}
        onDone={({ data }) => {
          void refresh('listKeys');
          onMade(data);
        }}
      >
        {(isBusy) => (
          <>
            <SelectField
              name="overlap_seconds"
              label="The old key goes on working"
              options={overlaps}
              value={overlap}
              onChange={(event) => setOverlap(event.target.value)}
            />
            <FormActions act="Rotate key" isBusy={isBusy} onCancel={onClose} />
            <Terminal command={relata('keys', 'rotate', of.id, ...overlapOption(overlap))} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
