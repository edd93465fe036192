import type { Member } from '../api/types.ts';
import { DataList, idOf } from '../ui/data/data-list.tsx';
import { State } from '../ui/data/state.tsx';
import { Ago } from '../ui/data/time.tsx';
import { ActsMenu } from '../ui/overlay/acts-menu.tsx';
import css from '../keys/keys.module.css';

type Act = 'role' | 'remove' | 'invite';

interface MemberListProps {
  members: readonly Member[];
  onAct: (act: Act, member: Member) => void;
}

export function MemberList({ members, onAct }: MemberListProps) {
  return (
    <DataList
      label="Members"
      rows={members}
      keyOf={idOf}
      columns={[
        { head: 'Name', cell: ({ name, is_you }) => <Name name={name} isYou={is_you} /> },
        { head: 'E-mail', cell: ({ email }) => email },
        { head: 'Role', isNarrow: true, cell: ({ role }) => role },
        { head: 'State', isNarrow: true, cell: (member) => <MemberState {...member} /> },
        { head: 'Since', isNarrow: true, cell: ({ created_at }) => <Ago of={created_at} /> },
        {
          head: 'Acts',
          isNarrow: true,
          cell: (member) => <ActsMenu of={member.name} items={itemsOf(member, onAct)} />,
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
  if (state === 'active') return <State tone="ok">active</State>;
  if (state === 'expired' || !invited_until) return <State tone="warn">invitation ended</State>;
  return (
    <>
      <State tone="idle">invited</State>, ends <Ago of={invited_until} />
    </>
  );
}

const namesOf = ({ state }: Member): readonly (readonly [Act, string])[] =>
  state === 'active'
    ? [
        ['role', 'Change role'],
        ['remove', 'Remove'],
      ]
    : [
        ['invite', 'Invite again'],
        ['role', 'Change role'],
        ['remove', 'Withdraw invitation'],
      ];

function itemsOf(member: Member, onAct: MemberListProps['onAct']) {
  return namesOf(member).map(([act, name]) => ({ name, run: () => onAct(act, member) }));
}
