import type { Member } from '../api/types.ts';
import { DataList, rowId } from '../ui/data/data-list.tsx';
import { State } from '../ui/data/state.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { ActionsMenu } from '../ui/overlay/actions-menu.tsx';
import css from '../keys/keys.module.css';

type Action = 'role' | 'remove' | 'invite';

interface MemberListProps {
  members: readonly Member[];
  onAct: (act: Action, member: Member) => void;
}

export function MemberList({ members, onAct }: MemberListProps) {
  return (
    <DataList
      label="Members"
      rows={members}
      keyOf={rowId}
      columns={[
        { head: 'Name', cell: ({ name, is_you }) => <Name name={name} isYou={is_you} /> },
        { head: 'E-mail', cell: ({ email }) => email },
        { head: 'Role', isNarrow: true, cell: ({ role }) => role },
        { head: 'Status', isNarrow: true, cell: (member) => <MemberState {...member} /> },
        { head: 'Added', isNarrow: true, cell: ({ created_at }) => <RelativeTime time={created_at} /> },
        {
          head: 'Actions',
          isNarrow: true,
          cell: (member) => <ActionsMenu name={member.name} items={itemsOf(member, onAct)} />,
        },
      ]}
    />
  );
}

function Name({ name, isYou }: { name: string; isYou: boolean }) {
  return (
    <>
      <span className={css.name}>{name}</span>
      {isYou && ' (you)'}
    </>
  );
}

function MemberState({ state, invited_until }: Member) {
  if (state === 'active') return <State tone="ok">Active</State>;
  if (state === 'expired' || !invited_until) return <State tone="warn">Invitation expired</State>;
  return (
    <>
      <State tone="idle">Invited</State>, expires <RelativeTime time={invited_until} />
    </>
  );
}

function itemsOf(member: Member, onAct: MemberListProps['onAct']) {
  const item = (name: string, act: Action) => ({ name, run: () => onAct(act, member) });
  if (member.state === 'active') return [item('Change role', 'role'), item('Remove', 'remove')];
  return [item('Invite again', 'invite'), item('Withdraw invitation', 'remove')];
}
