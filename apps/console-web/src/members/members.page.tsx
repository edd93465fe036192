import { useState } from 'react';
import { useCall } from '../api/queries.ts';
import type { Member } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { InviteDialog, type Invitation, InvitationDialog } from './invite.tsx';
import { MemberList } from './member-list.tsx';
import { RemoveDialog } from './remove-member.tsx';
import { RoleDialog } from './role.tsx';

export function MembersPage() {
  const org = useOrg();
  const members = useCall('listMembers', {});
  const [isInviting, setInviting] = useState(false);
  const [invitation, setInvitation] = useState<Invitation>();
  const [chosen, setChosen] = useState<{ act: 'role' | 'remove' | 'invite'; member: Member }>();
  const of = (act: string) => (chosen?.act === act ? chosen.member : undefined);
  const done = () => {
    setChosen(undefined);
    setInviting(false);
  };
  return (
    <Page
      title="Members"
      intro={`People who can sign in to ${org.name}. They are also users in the API and can own records.`}
      actions={
        <Button look="primary" shortcut="c" onClick={() => setInviting(true)}>
          Invite member
        </Button>
      }
    >
      <Panel>
        <Loaded query={members}>
          {({ data }) => <MemberList members={data} onAct={(act, member) => setChosen({ act, member })} />}
        </Loaded>
      </Panel>
      {(isInviting || of('invite')) && (
        <InviteDialog
          again={of('invite')}
          onClose={done}
          onMember={(member) => {
            done();
            setChosen({ act: 'role', member });
          }}
          onMade={(made) => {
            done();
            setInvitation(made);
          }}
        />
      )}
      {of('role') && <RoleDialog of={of('role')!} onClose={done} />}
      {of('remove') && <RemoveDialog of={of('remove')!} onClose={done} />}
      {invitation && <InvitationDialog of={invitation} onDone={() => setInvitation(undefined)} />}
    </Page>
  );
}
