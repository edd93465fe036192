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
  const [chosen, setChosen] = useState<
    { act: 'role' | 'remove'; member: Member } | { act: 'invite'; member?: Member }
  >();
  // The other dialogs close when their requests end, even late, which must not close the dialog of a new link.
  const [invitation, setInvitation] = useState<Invitation>();
  const done = () => setChosen(undefined);
  return (
    <Page
      title="Members"
      intro={`People who can sign in to ${org.name}. They are also users in the API and can own records.`}
      actions={
        <Button variant="primary" shortcut="c" onClick={() => setChosen({ act: 'invite' })}>
          Invite member
        </Button>
      }
    >
      <Panel>
        <Loaded query={members}>
          {({ data }) => <MemberList members={data} onAct={(act, member) => setChosen({ act, member })} />}
        </Loaded>
      </Panel>
      {chosen?.act === 'invite' && (
        <InviteDialog
          again={chosen.member}
          onClose={done}
          onMember={(member) => setChosen({ act: 'role', member })}
          onMade={(made) => {
            done();
            setInvitation(made);
          }}
        />
      )}
      {chosen?.act === 'role' && <RoleDialog member={chosen.member} onClose={done} />}
      {chosen?.act === 'remove' && <RemoveDialog member={chosen.member} onClose={done} />}
      {invitation && <InvitationDialog invitation={invitation} onDone={() => setInvitation(undefined)} />}
    </Page>
  );
}
