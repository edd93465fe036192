import { useState } from 'react';
import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Member } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Terminal } from '../ui/controls/copy.tsx';
import { SelectField } from '../ui/controls/field.tsx';
import { Form, FormActions } from '../ui/controls/form.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { roleOf, roleOptions } from './roles.ts';

export function RoleDialog({ of, onClose }: { of: Member; onClose: () => void }) {
  const org = useOrg();
  const [role, setRole] = useState(of.role);
  const save = (data: FormData) =>
    call('setMemberRole', { params: { org: org.id, id: of.id }, body: { role: roleOf(data) } });
  return (
    <Dialog isOpen onClose={onClose} title={`Change the role of ${of.name}`}>
      <Form
        send={save}
        onDone={() => {
          void refresh('listMembers', 'getMe');
          onClose();
        }}
        onInput={(data) => setRole(roleOf(data))}
      >
        {(isBusy) => (
          <>
            <SelectField
              name="role"
              label="Role"
              options={roleOptions}
              defaultValue={of.role}
              hint={
                of.is_you
                  ? 'This is your own role. The change takes effect immediately.'
                  : 'The change takes effect immediately.'
              }
            />
            <FormActions act="Change role" isBusy={isBusy} />
            <Terminal command={relata('people', 'role', of.email, role, '--org', org.id)} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
