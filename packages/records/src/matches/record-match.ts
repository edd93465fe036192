import { isRecord } from '@relata/schemas';
import { type ErrorDetail, validationError } from '@relata/schemas/errors';
import { keyDetails } from '../table/record-fields.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';

/** Names and values that identify a record: at least one pair, in the order of the table's matches. */
export type Match = readonly (readonly [name: string, value: string])[];

/**
 * Reads a match from unchecked input. Throws `validation_error` for unknown names, and for values that are empty, null
 * or absent: a match must never select everything.
 */
export function readMatch(table: RecordTable<unknown>, given: unknown): Match {
  const matches = table.matches;
  const details = isRecord(given)
    ? problemsOf(matches, given)
    : [problem('match', 'invalid_type', 'Must be an object.')];
  if (details.length > 0) throw validationError(details);
  const values = given as Record<string, string>;
  return Object.keys(matches).flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]!] as const] : []));
}

function problemsOf(matches: RecordTable<unknown>['matches'], given: Row): ErrorDetail[] {
  const names = Object.keys(given);
  const known = Object.keys(matches).join(', ');
  if (names.length === 0) return [problem('match', 'required', `Must have at least one of: ${known}.`)];
  return names.flatMap((name) =>
    Object.hasOwn(matches, name)
      ? keyDetails(`match.${name}`, given[name], name === 'id' ? 'uuid' : 'text')
      : [problem(`match.${name}`, 'unknown_field', `Must be one of: ${known}.`)],
  );
}

function problem(field: string, code: ErrorDetail['code'], message: string): ErrorDetail {
  return { in: 'body', field, code, message };
}
