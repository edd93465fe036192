import { shortText, uuid } from '@relata/schemas';
import { toErrorDetails, type ErrorDetail, validationError } from '@relata/schemas/errors';
import { givenFields } from '../record.sql.ts';
import type { Row } from './record-column.ts';
import type { RecordTable } from './record-table.ts';

type Table = RecordTable<unknown>;

/**
 * Validates the fields of a new record from a workflow or an upsert, including `crm_id`; reports all problems together.
 */
export function validateCreate(table: Table, fields: unknown): Row {
  return validate(table, 'create', fields);
}

/** Validates a merge patch from a workflow, including `crm_id`; reports all problems together. */
export function validateUpdate(table: Table, patch: unknown): Row {
  return validate(table, 'update', patch);
}

/** Validates fields. The schemas of the API ignore `crm_id`, so it is checked separately. */
function validate(table: Table, kind: 'create' | 'update', given: unknown): Row {
  const schema = table.resource[kind];
  if (!schema) throw new Error(`Workflows do not ${kind} ${table.name}.`);
  const crm = table.resource.hasCrmId ? crmIdOf(given) : undefined;
  const parsed = schema.safeParse(given);
  const details = parsed.success ? [] : toErrorDetails('body', parsed.error.issues, given);
  if (crm !== undefined && crm !== null) details.push(...keyDetails('crm_id', crm));
  if (details.length > 0) throw validationError(details);
  const fields = givenFields(table.writable, parsed.data as Row);
  return crm === undefined ? fields : { ...fields, crm_id: crm };
}

function crmIdOf(given: unknown): unknown {
  return typeof given === 'object' && given !== null ? (given as Row)['crm_id'] : undefined;
}

const keyText = shortText();
const keyId = uuid();

/** Returns the problems of a value that identifies a record: it must be non-empty text, or a UUID if `kind` says so. */
export function keyDetails(field: string, value: unknown, kind: 'text' | 'uuid' = 'text'): ErrorDetail[] {
  if (value === '') return [{ in: 'body', field, code: 'too_short', message: 'Must have at least 1 character.' }];
  const parsed = (kind === 'uuid' ? keyId : keyText).safeParse(value);
  return parsed.success
    ? []
    : toErrorDetails('body', parsed.error.issues, value).map((detail) => ({ ...detail, field }));
}

/** Throws `validation_error` for an id that is not a UUID. */
export function requireUuid(id: unknown): void {
  const details = keyDetails('id', id, 'uuid');
  if (details.length > 0) throw validationError(details);
}
