import type { Db } from '@relata/db';
import {
  accounts,
  contacts,
  createRecordIn,
  customActivities,
  findOneRecord,
  opportunities,
  type RecordTable,
  updateRecordIn,
  upsertRecord,
  validateCreate,
  validateUpdate,
} from '@relata/records';

type Input = Record<string, unknown>;

/** Does a record step within the transaction of its journal; what it throws takes the transaction with it. */
export type RecordStep = (db: Db, orgId: string, input: Input) => Promise<unknown>;

/** The four things that a workflow does with a kind of record. */
function recordStepsOf<Rec extends object>(name: string, table: RecordTable<Rec>): Record<string, RecordStep> {
  return {
    [`${name}.create`]: (db, orgId, { set }) => createRecordIn(db, orgId, table, validateCreate(table, set)),
    [`${name}.update`]: (db, orgId, { id, set }) =>
      updateRecordIn(db, orgId, table, id as string, validateUpdate(table, set)),
    [`${name}.upsert`]: (db, orgId, { match, set }) => upsertRecord(db, orgId, table, match, set ?? {}),
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
