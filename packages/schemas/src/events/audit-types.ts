/** What operators change beside records, and what becomes an event of it; `secret` is what workflows send, by its name. */
const auditVerbs = {
  organization: ['updated'],
  api_key: ['created', 'updated', 'rotated', 'revoked'],
  trigger: ['created', 'updated', 'secret_rotated', 'assigned', 'unassigned'],
  workflow: ['applied'],
  delivery: ['replayed'],
  run: ['retried', 'cancelled'],
  problem: ['resolved', 'ignored', 'reopened'],
  member: ['invited', 'joined', 'role_changed', 'removed'],
  secret: ['created', 'updated', 'removed'],
} as const;

type Verbs = typeof auditVerbs;

/** `api_key.revoked`. */
export type AuditType = { [Name in keyof Verbs]: `${Name}.${Verbs[Name][number]}` }[keyof Verbs];

export const auditRecordTypes = Object.keys(auditVerbs) as (keyof Verbs)[];

/** Every type of an event that is not of a record. */
export const auditTypes = Object.entries(auditVerbs).flatMap(([name, verbs]) =>
  verbs.map((verb) => `${name}.${verb}` as AuditType),
);

/** The same for people. */
export const auditTypesText = auditTypes.map((type) => `\`${type}\``).join(', ');
