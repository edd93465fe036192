import { useState } from 'react';
import { refresh, useCall } from '../api/queries.ts';
import type { OutputOf, InputOf, Member } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { SelectField, TextField } from '../ui/controls/field.tsx';
import { DoneButton, Secret } from '../ui/controls/secret.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { RelativeTime } from '../ui/data/time.tsx';
import { Hint } from '../ui/data/error-alert.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import { readRole, roleOptions } from './role.tsx';
import { readText } from '../ui/controls/form.tsx';

type Body = InputOf<'inviteMember'>['body'];

export type Invitation = OutputOf<'inviteMember'>['data'];

interface InviteProps {
  /** The member to invite again; the previous link expires. */
  again: Member | undefined;
  onClose: () => void;
  onMade: (made: Invitation) => void;
  onMember: (member: Member) => void;
}

export function InviteDialog({ again, onClose, onMade, onMember }: InviteProps) {
  const org = useOrg();
  const { email = '', name = '', role = 'member' } = again ?? {};
  const send = async (data: FormData) => {
    try {
      return await org.call('inviteMember', { body: bodyOf(data) });
    } catch (error) {
      // The person may have joined since the list was read.
      void refresh('listMembers');
      throw error;
    }
  };
  return (
    <FormDialog
      title={again ? `Invite ${again.name} again` : `Invite to ${org.name}`}
      intro={
        <p>
          Relata does not send e-mail. You get an invitation link to pass on. It works once and expires after 72 hours.
        </p>
      }
      act="Create link"
      send={send}
      command={(data) => commandOf(org.id, bodyOf(data))}
      refreshes={['listMembers']}
      onClose={onClose}
      onDone={({ data }) => onMade(data)}
    >
      {(data) => (
        <>
          <TextField name="email" label="E-mail" type="email" defaultValue={email} autoFocus />
          <MemberAlready email={readText(data, 'email')} onMember={onMember} />
          <TextField name="name" label="Name" defaultValue={name} hint="The member can change it later." />
          <SelectField name="role" label="Role" options={roleOptions} defaultValue={role} />
        </>
      )}
    </FormDialog>
  );
}

function MemberAlready({ email, onMember }: { email: string; onMember: (member: Member) => void }) {
  const members = useCall('listMembers', {}).data?.data ?? [];
  const typed = email.trim().toLowerCase();
  const member = members.find((one) => one.state === 'active' && one.email.toLowerCase() === typed);
  if (!member) return null;
  return (
    <Hint>
      <p role="status">
        {member.name} ({member.email}) is already a member with the role {member.role}. They do not need a link: they
        sign in with their password.
      </p>
      <Button onClick={() => onMember(member)}>Open their entry</Button>
    </Hint>
  );
}

function bodyOf(data: FormData): Body {
  const name = readText(data, 'name');
  return { email: readText(data, 'email'), role: readRole(data), ...(name && { name }) };
}

function commandOf(org: string, { email, role, name }: Body): string {
  const named = name ? option('name', name) : [];
  return relata('people', 'invite', email || 'EMAIL', '--org', org, ...option('role', role), ...named);
}

export function InvitationDialog({ invitation, onDone }: { invitation: Invitation; onDone: () => void }) {
  const [isStored, setStored] = useState(false);
  const done = <DoneButton isStored={isStored} onDone={onDone} />;
  return (
    <Dialog isAlert isWide title={`Invitation link for ${invitation.member.name}`} actions={done}>
      <p>
        Send this link to {invitation.member.email}. Whoever opens it first joins as {invitation.member.role}. It
        expires <RelativeTime time={invitation.expires_at} />.
      </p>
      <Secret secret={invitation.link} what="link" onStored={setStored} />
    </Dialog>
  );
}
