import { isEmpty, patchFor } from './additions.ts';
import type { Patch } from './patch.ts';
import { completePatch } from './record-rules.ts';
import type { RuleContext } from '../table/record-table.ts';
import type { Row } from '../table/record-column.ts';

/**
 * Returns the complete patch that gives a locked record its values. If a rule that completes a value of `fill` would
 * replace another value of the record, all values of `fill` for the fields of this rule are left out. Throws
 * `validation_error` if these values contradict each other, even if the record needs only some of them.
 */
export async function completeAddition(
  on: RuleContext,
  record: Row,
  given: Pick<Patch, 'patch' | 'fill' | 'add'>,
): Promise<Row> {
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
