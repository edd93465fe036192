/**
 * Types of events about objects other than records: the kinds of objects, and the verbs of each. A `secret` is a value
 * that workflows send; its events contain only its name.
 */
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
  notify_channel: ['created', 'updated', 'tested', 'removed'],
} as const;

type Verbs = typeof auditVerbs;

/** A type of event such as `api_key.revoked`. */
export type AuditType = { [Name in keyof Verbs]: `${Name}.${Verbs[Name][number]}` }[keyof Verbs];

export const auditRecordTypes = Object.keys(auditVerbs) as (keyof Verbs)[];

/** All types of events that are not about a record. */
export const auditTypes = Object.entries(auditVerbs).flatMap(([name, verbs]) =>
  verbs.map((verb) => `${name}.${verb}` as AuditType),
);

/** All types of audit events as Markdown text. */
export const auditTypesText = auditTypes.map((type) => `\`${type}\``).join(', ');
