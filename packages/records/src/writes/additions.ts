import { isRecord } from '@relata/schemas';
import type { Match } from '../matches/record-match.ts';
import type { Row } from '../table/record-column.ts';
import { validateUpdate } from '../table/record-fields.ts';
import type { RecordTable, RuleContext } from '../table/record-table.ts';
import { completePatch } from './record-rules.ts';

/**
 * Values that never replace existing values of a record. The record is locked before it is decided which of them apply.
 */
export interface Additions {
  /** Values for fields without a value. */
  fill?: Row | undefined;
  /** Values to append to lists that lack them. */
  add?: Row | undefined;
}

export function hasAdditions({ fill, add }: Additions): boolean {
  return [fill, add].some((values) => isRecord(values) && Object.keys(values).length > 0);
}

/**
 * Returns the patch that applies `patch` and these additions to a record. Throws `validation_error` if a list would
 * become too long.
 */
export function patchFor(
  table: RecordTable<unknown>,
  record: Row,
  patch: Row,
  { fill = {}, add = {} }: Additions,
): Row {
  const needed = { ...patch };
  for (const name in fill) if (isEmpty(record[name]) && !isEmpty(fill[name])) needed[name] = fill[name];
  for (const name in add) {
    const kept = (record[name] ?? []) as string[];
    const all = withMissing(kept, add[name] as string[]);
    if (all.length > kept.length) Object.assign(needed, validateUpdate(table, { [name]: all }));
  }
  return needed;
}

/**
 * Returns the complete patch that gives a locked record its values. If a rule that completes a value of `fill` would
 * replace another value of the record, all values of `fill` for the fields of this rule are left out. Throws
 * `validation_error` if these values contradict each other, even if the record needs only some of them.
 */
export async function completeAddition(on: RuleContext, record: Row, given: Additions & { patch: Row }): Promise<Row> {
  const { table } = on;
  const { patch, fill = {} } = given;
  const needed = patchFor(table, record, patch, given);
  const ruled = (table.rules?.update?.fields ?? []).filter((name) => !isEmpty(fill[name]));
  const isFilled = ruled.some((name) => name in needed);
  if (isFilled && ruled.length > 1) await completePatch(on, {}, fill);
  const complete = await completePatch(on, record, needed);
  const isKept = (name: string) => name in needed || isEmpty(record[name]) || complete[name] === record[name];
  if (!isFilled || Object.keys(complete).every(isKept)) return complete;
  const rest = Object.fromEntries(Object.entries(fill).filter(([name]) => !ruled.includes(name)));
  return completePatch(on, record, patchFor(table, record, patch, { ...given, fill: rest }));
}

/**
 * Returns the fields of a new record, still unchecked. If a field is given several times, the last of `match`,
 * `create`, `fill`, `add` and `set` wins; `add` appends to a list. An empty value of `fill` replaces nothing.
 */
export function newFields(
  match: Match,
  { create, fill = {}, add = {}, set }: Additions & { create?: Row | undefined; set: Row },
): Row {
  const fields: Row = { ...Object.fromEntries(match), ...create };
  for (const name in fill) if (!isEmpty(fill[name]) || isEmpty(fields[name])) fields[name] = fill[name];
  for (const name in add) fields[name] = withMissing((fields[name] ?? []) as string[], add[name] as string[]);
  return { ...fields, ...set };
}

/** Returns true for a missing value, an empty string and an empty list. */
export function isEmpty(value: unknown): boolean {
  return (value ?? '') === '' || (Array.isArray(value) && value.length === 0);
}

function withMissing(kept: readonly string[], added: readonly string[]): string[] {
  return kept.concat([...new Set(added)].filter((value) => !kept.includes(value)));
}
