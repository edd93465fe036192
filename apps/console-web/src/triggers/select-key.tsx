import { useState } from 'react';
import { call } from '../api/client.ts';
import type { Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { SelectField } from '../ui/controls/field.tsx';
import { textOf } from '../ui/controls/form-data.ts';
import { relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { useKeyOptions } from './opened-by.tsx';

/** Puts a key in the place of what opens a trigger now. */
export function SelectKeyDialog({ of, onClose }: { of: Trigger; onClose: () => void }) {
  const org = useOrg();
  const [chosen, setChosen] = useState(of.key?.id ?? '');
  const keys = useKeyOptions((id) => id);
  const select = (data: FormData) =>
    call('selectTriggerKey', { params: { org: org.id, id: of.id }, body: { key_id: textOf(data, 'key_id') } });
  return (
    <FormDialog
      title={`Use an API key for ${of.name}`}
      act="Use key"
      send={select}
      command={() => relata('triggers', 'select-key', of.id, chosen || 'KEY_ID')}
      refreshes={['getTrigger', 'listTriggers', 'listKeys']}
      onClose={onClose}
      onDone={() => {
        notify(`${of.name} now uses the API key.`);
        onClose();
      }}
    >
      <SelectField
        name="key_id"
        label="API key"
        options={[['', 'Choose a key', true] as const, ...keys]}
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
        hint={of.key ? undefined : 'The trigger’s own secret stops working immediately.'}
      />
    </FormDialog>
  );
}
