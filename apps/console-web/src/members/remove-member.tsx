import { refresh } from '../api/queries.ts';
import type { Member } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { notify } from '../ui/overlay/notices.tsx';

export function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { id: org, name, call } = useOrg();
  const isInvitation = member.state !== 'active';
  const remove = async () => {
    await call('removeMember', { params: { id: member.id } });
    await refresh('listMembers');
    notify(isInvitation ? `Invitation for ${member.name} withdrawn.` : `${member.name} removed.`);
  };
  return (
    <Confirm
      title={isInvitation ? `Withdraw the invitation for ${member.name}?` : `Remove ${member.name}?`}
      act={isInvitation ? 'Withdraw invitation' : 'Remove member'}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        {isInvitation
          ? `The link stops working. You can invite ${member.name} again.`
          : `${member.name} loses access to ${name} immediately. Their records keep them as owner, and you can invite them again.`}
      </p>
      <CliCommand command={relata('people', 'remove', member.email, '--org', org)} />
    </Confirm>
  );
}
