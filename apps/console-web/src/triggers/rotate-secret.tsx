import { useState } from 'react';
import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import { overlapOption, overlaps } from '../keys/rotate-key.tsx';
import { useOrg } from '../shell/org.ts';
import { Terminal } from '../ui/controls/copy.tsx';
import { SelectField } from '../ui/controls/field.tsx';
import { Form, FormActions } from '../ui/controls/form.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import type { MadeSecret } from './made-secret.tsx';

interface RotateSecretProps {
  of: Trigger;
  onClose: () => void;
  onMade: (made: MadeSecret) => void;
}

export function RotateSecretDialog({ of, onClose, onMade }: RotateSecretProps) {
  const org = useOrg();
  const [overlap, setOverlap] = useState('86400');
  const body = { overlap_seconds: Number(overlap) };
  return (
    <Dialog isOpen onClose={onClose} title={`Rotate the secret of ${of.name}`}>
      <Form
        send={() => call('rotateTriggerSecret', { params: { org: org.id, id: of.id }, body })}
        onDone={({ data }) => {
          void refresh('getTrigger', 'listTriggers');
          onMade(data);
        }}
      >
        {(isBusy) => (
          <>
            <SelectField
              name="overlap_seconds"
              label="The old secret goes on working"
              options={overlaps}
              value={overlap}
              onChange={(event) => setOverlap(event.target.value)}
            />
            <FormActions act="Rotate secret" isBusy={isBusy} onCancel={onClose} />
            <Terminal command={relata('triggers', 'rotate', of.id, ...overlapOption(overlap))} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
