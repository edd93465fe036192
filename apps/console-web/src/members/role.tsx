import type { Member, Role } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { SelectField } from '../ui/controls/field.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import { readText } from '../ui/controls/form.tsx';

export function RoleDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { id: org, call } = useOrg();
  const save = (data: FormData) => call('setMemberRole', { params: { id: member.id }, body: { role: readRole(data) } });
  return (
    <FormDialog
      title={`Change the role of ${member.name}`}
      act="Change role"
      send={save}
      command={(data) => relata('people', 'role', member.email, readRole(data), '--org', org)}
      refreshes={['listMembers', 'getMe']}
      onClose={onClose}
    >
      <SelectField
        name="role"
        label="Role"
        options={roleOptions}
        defaultValue={member.role}
        hint={
          member.is_you
            ? 'This is your own role. The change takes effect immediately.'
            : 'The change takes effect immediately.'
        }
      />
    </FormDialog>
  );
}

const may: Record<Role, string> = {
  viewer: 'read-only',
  member: 'can also replay deliveries, and retry and cancel runs',
  admin: 'can also manage keys, triggers, workflows and members',
};

export const roleOptions = Object.entries(may).map(([role, what]) => [role, `${role}: ${what}`] as const);

export const readRole = (data: FormData) => readText(data, 'role') as Role;
