import { useState } from 'react';
import type { Key, Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { type Option, SelectField } from '../ui/controls/field.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { useCall } from '../api/queries.ts';
import { hasEnded, shortKey } from '../keys/key-state.ts';
import { readText } from '../ui/controls/form.tsx';

export function SelectKeyDialog({ trigger, onClose }: { trigger: Trigger; onClose: () => void }) {
  const { call } = useOrg();
  const [chosen, setChosen] = useState(trigger.key?.id ?? '');
  const keys = useKeyOptions();
  const select = (data: FormData) =>
    call('selectTriggerKey', { params: { id: trigger.id }, body: { key_id: readText(data, 'key_id') } });
  return (
    <FormDialog
      title={`Use an API key for ${trigger.name}`}
      act="Use key"
      send={select}
      command={() => relata('triggers', 'select-key', trigger.id, chosen || 'KEY_ID')}
      refreshes={['getTrigger', 'listTriggers', 'listKeys']}
      lostWith="tab"
      onClose={onClose}
      onDone={() => {
        notify(`${trigger.name} now uses the API key.`);
        onClose();
      }}
    >
      <SelectField
        name="key_id"
        label="API key"
        options={[['', 'Choose a key', true] as const, ...keys]}
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
        hint={trigger.key ? undefined : 'The trigger’s own secret stops working immediately.'}
      />
    </FormDialog>
  );
}

/** Returns all keys of the organization; unsuitable ones are disabled and state the reason. */
export function useKeyOptions(): readonly Option[] {
  const keys = useCall('listKeys', {});
  const now = Date.now();
  return (keys.data?.data ?? [])
    .map((key) => {
      const reason = whyUnfit(key, now);
      return [key.id, `API key ${key.name}, ${shortKey(key)}${reason}`, reason !== ''] as const;
    })
    .toSorted((a, b) => Number(a[2]) - Number(b[2]));
}

function whyUnfit(key: Key, now: number): string {
  if (hasEnded(key, now)) return ' (revoked or expired)';
  if (key.kind === 'publishable') return ' (for web pages only)';
  return key.scopes.includes('webhook') ? '' : ' (needs the permission webhook)';
}
