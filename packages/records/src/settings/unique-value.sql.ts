import { type Statement, statement } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import { countMax, countText, named, namedMax } from '../matches/record-match.sql.ts';
import type { Row } from '../table/record-column.ts';
import { sameText } from '../table/record-condition.ts';
import { memoizePerTable, type RecordTable } from '../table/record-table.ts';
import type { RuleContext } from '../table/record-table.ts';

const holders = memoizePerTable(({ name, resource }: RecordTable<unknown>): Statement<{ id: string }> => {
  const isSame = sameText(resource.unique!).replaceAll('$filter', '$2');
  return statement(
    `${name}.holders`,
    `SELECT r.id FROM ${name} r WHERE r.org_id = $1 AND ${isSame} ORDER BY r.id LIMIT ${countMax}`,
  );
});

/**
 * Throws `already_exists` if another record has the value that `given` has in the unique field of the table. The caller
 * has locked the settings. Operators may use a value twice, as they could before this check existed.
 */
export async function refuseUsedValue(on: RuleContext, given: Row, ownId?: string): Promise<void> {
  const { db, actor, orgId, table } = on;
  const field = table.resource.unique!;
  if (given[field] === undefined || actor.kind === 'operator') return;
  const found = await db.query(holders(table), [orgId, given[field]]);
  const ids = found.flatMap(({ id }) => (id === ownId ? [] : [id]));
  if (ids.length === 0) return;
  const message =
    ids.length === 1
      ? `The ${field} is used by ${ids[0]}.`
      : `${countText(ids.length)} ${table.name} use this ${field}.`;
  throw new AppError('already_exists', message, { data: named(ids.slice(0, namedMax), ids.length) });
}
