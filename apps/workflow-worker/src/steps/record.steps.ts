import type { Db } from '@relata/db';
import {
  accounts,
  contacts,
  createRecordIn,
  customActivities,
  findOneRecord,
  type LockMatch,
  matchKey,
  opportunities,
  type RecordTable,
  updateRecordIn,
  upsertRecord,
  validateCreate,
  validateUpdate,
} from '@relata/records';

type Input = Record<string, unknown>;

/**
 * Does a record step within the transaction of its journal; what it throws takes the transaction with it. It calls
 * `lock` before anything else for what other runs may change too.
 */
export type RecordStep = (db: Db, orgId: string, input: Input, lock: LockMatch) => Promise<unknown>;

/** The four things that a workflow does with a kind of record. */
function recordStepsOf<Rec extends object>(name: string, table: RecordTable<Rec>): Record<string, RecordStep> {
  return {
    [`${name}.create`]: (db, orgId, { set }) => createRecordIn(db, orgId, table, validateCreate(table, set)),
    [`${name}.update`]: async (db, orgId, { id, set }, lock) => {
      const patch = validateUpdate(table, set);
      if (typeof id === 'string') await lock(db, matchKey(orgId, table, [['id', id]]));
      return updateRecordIn(db, orgId, table, id as string, patch);
    },
    [`${name}.upsert`]: (db, orgId, { match, set }, lock) => upsertRecord(db, orgId, table, match, set ?? {}, lock),
    [`${name}.find`]: (db, orgId, { match }) => findOneRecord(db, orgId, table, match),
  };
}

export const recordSteps: Record<string, RecordStep> = {
  ...recordStepsOf('account', accounts),
  ...recordStepsOf('contact', contacts),
  ...recordStepsOf('opportunity', opportunities),
  'activity.create': (db, orgId, input) =>
    createRecordIn(db, orgId, customActivities, validateCreate(customActivities, input)),
};
