export { makeLocalLink, makeResetLink, makeSetupLink, readLink, redeemLink } from './link.operations.ts';
export type { MadeLink } from './link.sql.ts';
export { inviteMember, removeMember, setMemberRole } from './member.operations.ts';
export { findMemberByEmail, listMembers, listMemberships, memberPermissions, type StoredMember } from './member.sql.ts';
export { changeName } from './person.operations.ts';
export { getInstallationKey } from './installation-key.sql.ts';
export type { HashTurn } from './password.ts';
export { type Candidate, findCandidate, listPeople } from './person.sql.ts';
export {
  type Client,
  dropEndedSessions,
  dropExpiredLinks,
  endSession,
  endSessions,
  findSession,
  type FoundSession,
  listSessions,
} from './session.sql.ts';
export { changePassword, isToken, signIn } from './sign-in.operations.ts';
