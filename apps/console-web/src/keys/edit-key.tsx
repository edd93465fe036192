import { call } from '../api/client.ts';
import type { Key } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { TextArea, TextField } from '../ui/controls/field.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import { readLines, readText } from '../ui/controls/form.tsx';

export function EditKeyDialog({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const org = useOrg();
  const hasOrigins = apiKey.kind === 'publishable';
  const save = (data: FormData) => {
    const origins = hasOrigins ? { origins: readLines(data, 'origins') } : {};
    return call('updateKey', {
      params: { org: org.id, id: apiKey.id },
      body: { name: readText(data, 'name'), ...origins },
    });
  };
  return (
    <FormDialog
      title={hasOrigins ? `Edit ${apiKey.name}` : `Rename ${apiKey.name}`}
      act="Save changes"
      send={save}
      command={(data) => commandOf(apiKey, readText(data, 'name'), readLines(data, 'origins'))}
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

function commandOf({ id, kind }: Key, name: string, origins: readonly string[]): string {
  const pages = kind === 'publishable' ? option('origin', ...origins) : [];
  return relata('keys', 'update', id, ...option('name', name), ...pages);
}
