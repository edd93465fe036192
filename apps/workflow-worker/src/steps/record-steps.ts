import { type Db, lockTexts } from '@relata/db';
import type { Actor } from '@relata/events';
import {
  accounts,
  contacts,
  createRecordIn,
  customActivities,
  findOneRecord,
  keysOf,
  opportunities,
  readUpsert,
  type RecordTable,
  updateRecordIn,
  upsertRecord,
  validateCreate,
  validateUpdate,
} from '@relata/records';
import type { StepUseOf } from '@relata/workflows/execution';

type Input = Record<string, unknown>;

/**
 * Does a record step within the transaction of its journal. It locks what other runs may change too before anything else,
 * and writes last: one that throws has written nothing.
 */
export type RecordStep = (db: Db, actor: Actor, input: Input) => Promise<unknown>;

/** The four things that a workflow does with a kind of record. */
function stepsOf<Name extends string, Rec extends object>(name: Name, table: RecordTable<Rec>) {
  const steps = {
    create: (db, actor, { set }) => createRecordIn(db, actor, table, validateCreate(table, set)),
    update: async (db, actor, { id, set }) => {
      const patch = validateUpdate(table, set);
      if (typeof id === 'string') await lockTexts(db, keysOf(actor.orgId, table, [['id', id]], {}));
      return updateRecordIn(db, actor, table, id as string, patch);
    },
    upsert: async (db, actor, { match, set }) => {
      const { record, action } = await upsertRecord(db, actor, table, readUpsert(table, match, set ?? {}));
      return { ...record, action };
    },
    find: (db, { orgId }, { match }) => findOneRecord(db, orgId, table, match),
  } satisfies Record<string, RecordStep>;
  const named = Object.entries(steps).map(([verb, step]) => [`${name}.${verb}`, step] as const);
  return Object.fromEntries(named) as Record<`${Name}.${keyof typeof steps}`, RecordStep>;
}

/** How each kind of record step is executed; a kind without an implementation does not compile. */
export const recordSteps = {
  ...stepsOf('account', accounts),
  ...stepsOf('contact', contacts),
  ...stepsOf('opportunity', opportunities),
  'activity.create': (db, actor, input) =>
    createRecordIn(db, actor, customActivities, validateCreate(customActivities, input)),
} satisfies Record<StepUseOf<'record'>, RecordStep>;
