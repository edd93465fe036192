import type { OrganizationDb } from '../connections/organization-database.ts';
import { once, type Unit } from './unit.ts';
import { LoneUnitDb } from './unit-db.ts';

/**
 * Runs a unit in its own transaction, in which it waits for locks of others. A plain unit runs without a transaction.
 */
export function committed<Result>(db: OrganizationDb, unit: Unit<Result>): Promise<Result> {
  if (unit.isPlain) return unit.run(new LoneUnitDb((prepared, values) => db.query(prepared, values)), once);
  return db.transaction((tx) => unit.run(tx, once));
}

/** Runs a unit like `committed`, and rolls it back once its result is known. */
export async function rolledBack<Result>(db: OrganizationDb, unit: Unit<Result>): Promise<Result> {
  let result: Result;
  try {
    await db.transaction(async (tx) => {
      result = await unit.run(tx, once);
      throw new Undone('The work was only tried.');
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  return result!;
}

/** Thrown to roll back a transaction that has done all its work. */
class Undone extends Error {}
