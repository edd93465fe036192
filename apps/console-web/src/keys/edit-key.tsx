import type { Key } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { TextArea, TextField } from '../ui/controls/field.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import { changedValues, readLines, readText } from '../ui/controls/form.tsx';

export function EditKeyDialog({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { call } = useOrg();
  const hasOrigins = apiKey.kind === 'publishable';
  return (
    <FormDialog
      title={hasOrigins ? `Edit ${apiKey.name}` : `Rename ${apiKey.name}`}
      act="Save changes"
      send={(data) => call('updateKey', { params: { id: apiKey.id }, body: changesIn(apiKey, data) })}
      command={(data) => commandOf(apiKey, changesIn(apiKey, data))}
      refreshes={['listKeys']}
      onClose={onClose}
    >
      <TextField name="name" label="Name" defaultValue={apiKey.name} autoFocus />
      {hasOrigins && (
        <TextArea
          name="origins"
          label="Allowed origins"
          hint="One per line, such as https://example.com."
          defaultValue={apiKey.origins.join('\n')}
          rows={3}
        />
      )}
    </FormDialog>
  );
}

const changesIn = ({ name, origins }: Key, data: FormData) =>
  changedValues({ name, origins }, { name: readText(data, 'name'), origins: readLines(data, 'origins') });

function commandOf({ id, name: before }: Key, { name, origins = [] }: ReturnType<typeof changesIn>): string {
  const names = name === undefined && origins.length > 0 ? [] : option('name', name ?? before);
  return relata('keys', 'update', id, ...names, ...option('origin', ...origins));
}
