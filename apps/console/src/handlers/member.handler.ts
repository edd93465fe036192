import { inviteMember, listMembers, removeMember, setMemberRole, type StoredMember } from '@relata/people';
import type { Member } from '@relata/schemas/console';
import type { OrgCaller } from '../session/console-caller.ts';
import { type ConsoleContext, type ConsoleHandlers, onBehalf } from './console-context.ts';

const shownMember = (member: StoredMember, { session }: OrgCaller): Member => ({
  ...member,
  is_you: member.person_id === session.person.id,
});

export function memberHandlers(context: ConsoleContext) {
  return {
    listMembers: async (_input, { caller }) => {
      const members = await listMembers(context.database.of(caller.orgId), caller.orgId);
      return { data: members.map((member) => shownMember(member, caller)) };
    },
    inviteMember: async ({ body }, { caller, exchange }) => {
      const { member, link } = await inviteMember(...onBehalf(context, caller, exchange), body);
      const url = `${caller.origin}/console/enter#${link.token}`;
      return { data: { member: shownMember(member, caller), link: url, expires_at: link.expires_at } };
    },
    setMemberRole: async ({ params: { id }, body: { role } }, { caller, exchange }) => {
      const member = await setMemberRole(...onBehalf(context, caller, exchange), { id, role });
      return { data: shownMember(member, caller) };
    },
    removeMember: async ({ params: { id } }, { caller, exchange }) => {
      await removeMember(...onBehalf(context, caller, exchange), id);
      return { data: {} };
    },
  } satisfies Partial<ConsoleHandlers>;
}
