import type { Db } from '@relata/db';
import { linkOnce } from './custom-activity.sql.ts';
import { customActivities } from './custom-activity.table.ts';
import { agreeNew, agreePatch } from './opportunity.sql.ts';
import { opportunities } from './opportunity.table.ts';
import type { RecordTable, Row } from './record-table.ts';

/** What holds between the fields of a record: completes what was given, or throws what is wrong with it. */
interface Rules {
  create(db: Db, orgId: string, given: Row): Promise<Row>;
  update(db: Db, orgId: string, id: string, patch: Row): Promise<Row>;
}

const none: Rules = {
  create: (_db, _orgId, given) => Promise.resolve(given),
  update: (_db, _orgId, _id, patch) => Promise.resolve(patch),
};

const rules = new Map<string, Rules>([
  [opportunities.name, { create: agreeNew, update: agreePatch }],
  [customActivities.name, { ...none, create: (_db, _orgId, given) => Promise.resolve(linkOnce(given)) }],
]);

/** The rules of a table; most have none. */
export function rulesOf(table: RecordTable<unknown>): Rules {
  return rules.get(table.name) ?? none;
}
