import { useState } from 'react';
import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Key } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Terminal } from '../ui/controls/copy.tsx';
import { TextArea, TextField } from '../ui/controls/field.tsx';
import { linesOf, textOf } from '../ui/controls/form-data.ts';
import { Form, FormActions } from '../ui/controls/form.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';

export function EditKeyDialog({ of, onClose }: { of: Key; onClose: () => void }) {
  const org = useOrg();
  const hasOrigins = of.kind === 'publishable';
  const [command, setCommand] = useState(() => commandOf(of, of.name, of.origins));
  const save = (data: FormData) => {
    const origins = hasOrigins ? { origins: linesOf(data, 'origins') } : {};
    return call('updateKey', {
      params: { org: org.id, id: of.id },
      body: { name: textOf(data, 'name'), ...origins },
    });
  };
  return (
    <Dialog isOpen onClose={onClose} title={hasOrigins ? `Edit ${of.name}` : `Rename ${of.name}`}>
      <Form
        send={save}
        onDone={() => {
          void refresh('listKeys');
          onClose();
        }}
        onInput={(data) => setCommand(commandOf(of, textOf(data, 'name'), linesOf(data, 'origins')))}
      >
        {(isBusy) => (
          <>
            <TextField name="name" label="Name" defaultValue={of.name} autoFocus />
            {hasOrigins && (
              <TextArea
                name="origins"
                label="Allowed origins"
                hint="One per line, such as https://example.com."
                defaultValue={of.origins.join('\n')}
                rows={3}
              />
            )}
            <FormActions act="Save changes" isBusy={isBusy} />
            <Terminal command={command} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function commandOf({ id, kind }: Key, name: string, origins: readonly string[]): string {
  const pages = kind === 'publishable' ? option('origin', ...origins) : [];
  return relata('keys', 'update', id, ...option('name', name), ...pages);
}
