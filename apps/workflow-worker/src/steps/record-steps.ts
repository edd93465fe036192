import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import {
  accounts,
  contacts,
  createRecord,
  customActivities,
  deleteRecord,
  findOne,
  upsertKeys,
  opportunities,
  patchRecord,
  type RecordTable,
  upsertRecord,
  validateCreate,
} from '@relata/records';
import { tableInputs, type StepUseOf } from '@relata/workflows/execution';

type Input = Record<string, unknown>;

/**
 * Executes a record step within the transaction of its journal. It first locks everything that other runs may also
 * change, and writes last. If a step throws after it has written, the transaction is rolled back; this order makes that
 * rare.
 */
export type RecordStep = (db: UnitDb, actor: Actor, input: Input) => Promise<unknown>;

/**
 * Returns the implementations of the step kinds of a table, such as `contact.upsert`.
 * `packages/workflows/src/definitions/steps/` describes the same kinds for definitions.
 */
function stepsOf<Name extends string, Rec extends object>(name: Name, table: RecordTable<Rec>) {
  const read = tableInputs(table);
  const steps = {
    create: (db, actor, input) => createRecord(db, actor, table, read.create(input)),
    update: async (db, actor, input) => {
      const given = read.update(input);
      await db.lock(upsertKeys(actor.orgId, table, { match: [['id', given.id]] }));
      return (await patchRecord(db, actor, table, given)).record;
    },
    upsert: async (db, actor, input) => {
      const { record, action } = await upsertRecord(db, actor, table, read.upsert(input));
      return { ...record, action };
    },
    delete: async (db, actor, input) => {
      const given = read.delete(input);
      await db.lock(upsertKeys(actor.orgId, table, { match: [['id', given.id]] }));
      return (await deleteRecord(db, actor, table, { ...given, leavesOthers: true })).record;
    },
    find: (db, { orgId }, input) => findOne(db, orgId, table, read.find(input)),
  } satisfies Record<string, RecordStep>;
  const named = Object.entries(steps).map(([verb, step]) => [`${name}.${verb}`, step] as const);
  return Object.fromEntries(named) as Record<`${Name}.${keyof typeof steps}`, RecordStep>;
}

/** Implementations of all kinds of record steps. If one is missing, this does not compile. */
export const recordSteps = {
  ...stepsOf('account', accounts),
  ...stepsOf('contact', contacts),
  ...stepsOf('opportunity', opportunities),
  'activity.create': (db, actor, input) =>
    createRecord(db, actor, customActivities, validateCreate(customActivities, input)),
} satisfies Record<StepUseOf<'record'>, RecordStep>;
