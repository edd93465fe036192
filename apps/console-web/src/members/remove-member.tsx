import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Member } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Terminal } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { notify } from '../ui/overlay/notices.tsx';

export function RemoveDialog({ of, onClose }: { of: Member; onClose: () => void }) {
  const org = useOrg();
  const terminal = <Terminal command={relata('people', 'remove', of.email, '--org', org.id)} />;
  const isInvitation = of.state !== 'active';
  const remove = async () => {
    await call('removeMember', { params: { org: org.id, id: of.id } });
    await refresh('listMembers');
    notify(isInvitation ? `Invitation for ${of.name} withdrawn.` : `${of.name} removed.`);
  };
  if (isInvitation)
    return (
      <Confirm
        title={`Withdraw the invitation for ${of.name}?`}
        act="Withdraw invitation"
        onConfirm={remove}
        onClose={onClose}
      >
        <p>The link stops working. You can invite {of.name} again.</p>
        {terminal}
      </Confirm>
    );
  return (
    <Confirm title={`Remove ${of.name}?`} act="Remove member" onConfirm={remove} onClose={onClose}>
      <p>
        {of.name} loses access to {org.name} immediately. Their records keep them as owner, and you can invite them
        again.
      </p>
      {terminal}
    </Confirm>
  );
}
