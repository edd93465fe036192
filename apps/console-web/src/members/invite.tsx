import { useState } from 'react';
import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { AnswerOf, Member } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { SelectField, TextField } from '../ui/controls/field.tsx';
import { textOf } from '../ui/controls/form-data.ts';
import { Form, FormActions } from '../ui/controls/form.tsx';
import { DoneButton, Secret } from '../ui/controls/secret.tsx';
import { Ago } from '../ui/data/time.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { roleOf, roleOptions } from './roles.ts';

export type Invitation = AnswerOf<'inviteMember'>['data'];

interface InviteProps {
  /** Who is invited again: the link before this one ends. */
  again: Member | undefined;
  onClose: () => void;
  onMade: (made: Invitation) => void;
}

export function InviteDialog({ again, onClose, onMade }: InviteProps) {
  const org = useOrg();
  const invite = (data: FormData) => {
    const name = textOf(data, 'name');
    const body = { email: textOf(data, 'email'), role: roleOf(data), ...(name && { name }) };
    return call('inviteMember', { params: { org: org.id }, body });
  };
  return (
    <Dialog isOpen onClose={onClose} title={again ? `Invite ${again.name} again` : `Invite to ${org.name}`}>
      <p>Relata sends no e-mail: you get a link, and pass it on. It works once, for 72 hours.</p>
      <Form
        send={invite}
        onDone={({ data }) => {
          void refresh('listMembers');
          onMade(data);
        }}
      >
        {(isBusy) => (
          <>
            <TextField name="email" label="E-mail" type="email" defaultValue={again?.email} autoFocus />
            <TextField name="name" label="Name" defaultValue={again?.name} hint="They can change it." />
            <SelectField name="role" label="Role" options={roleOptions} defaultValue={again?.role ?? 'member'} />
            <FormActions act="Make link" isBusy={isBusy} onCancel={onClose} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

export function InvitationDialog({ of, onDone }: { of: Invitation; onDone: () => void }) {
  const [isStored, setStored] = useState(false);
  const done = <DoneButton isStored={isStored} onDone={onDone} />;
  return (
    <Dialog isOpen isAlert isWide title={`The link for ${of.member.name}`} actions={done}>
      <p>
        Pass it on to {of.member.email}: the first to open it joins as {of.member.role}. It ends{' '}
        <Ago of={of.expires_at} />.
      </p>
      <Secret secret={of.link} what="link" onStored={setStored} />
    </Dialog>
  );
}
