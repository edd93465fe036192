import { lineText, uuid } from '@relata/schemas';
import { detailsOf, type ErrorDetail, validationError } from '@relata/schemas/errors';
import { fieldsOf } from '../record.sql.ts';
import type { Row } from './record-column.ts';
import type { RecordTable } from './record-table.ts';

type Table = RecordTable<unknown>;

/** The fields of a new record as a workflow may give them, `crm_id` among them; every problem is reported at once. */
export function validateCreate(table: Table, fields: unknown): Row {
  return validate(table, 'create', fields);
}

/** A merge patch as a workflow may give it, `crm_id` included; every problem is reported at once. */
export function validateUpdate(table: Table, patch: unknown): Row {
  return validate(table, 'update', patch);
}

/** The API's own schemas ignore `crm_id`, so it is checked apart. */
function validate(table: Table, kind: 'create' | 'update', given: unknown): Row {
  const schema = table.resource[kind];
  if (!schema) throw new Error(`Workflows do not ${kind} ${table.name}.`);
  const crm = table.resource.hasCrmId ? crmIdOf(given) : undefined;
  const parsed = schema.safeParse(given);
  const details = parsed.success ? [] : detailsOf('body', parsed.error.issues, given);
  if (crm !== undefined && crm !== null) details.push(...keyDetails('crm_id', crm));
  if (details.length > 0) throw validationError(details);
  const fields = fieldsOf(table.writable, parsed.data as Row);
  return crm === undefined ? fields : { ...fields, crm_id: crm };
}

function crmIdOf(given: unknown): unknown {
  return typeof given === 'object' && given !== null ? (given as Row)['crm_id'] : undefined;
}

const keyText = lineText();
const keyId = uuid();

/** What is wrong with a value that identifies a record: it is text, and never empty. */
export function keyDetails(field: string, value: unknown, kind: 'text' | 'uuid' = 'text'): ErrorDetail[] {
  if (value === '') return [{ in: 'body', field, code: 'too_short', message: 'Must have at least 1 character.' }];
  const parsed = (kind === 'uuid' ? keyId : keyText).safeParse(value);
  return parsed.success ? [] : detailsOf('body', parsed.error.issues, value).map((detail) => ({ ...detail, field }));
}
