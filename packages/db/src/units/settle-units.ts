import { isContended, isDatabaseOutage } from '../unavailable.ts';
import type { Unit } from './unit.ts';

export type Units = readonly Unit<unknown>[];
export type Settled = PromiseSettledResult<unknown>;

/**
 * Runs units in one transaction and commits it. Throws if the transaction was rolled back. Adds to `atFault` the units
 * that threw after they had written.
 */
export type Commit = (units: Units, isRetry: boolean, atFault: Set<Unit<unknown>>) => Promise<Settled[]>;

/**
 * Commits units in one transaction. If it is rolled back, units that threw after they had written run again alone, and
 * all others together. If a statement failed, the faulty unit is unknown, and the units run again in halves until that
 * unit fails alone. A unit with `reset` is tried once more alone before it fails. Conflicts of a single unit with other
 * transactions are left to the caller. Throws without repeating anything if the first transaction fails because of an
 * outage.
 */
export async function settleUnits(units: Units, commit: Commit, isRetry = false): Promise<Settled[]> {
  const atFault = new Set<Unit<unknown>>();
  try {
    return await commit(units, isRetry, atFault);
  } catch (error) {
    if (isDatabaseOutage(error)) throw error;
    if (isLast(units, error, isRetry)) return units.map(() => rejected(error));
    const settled = new Map<Unit<unknown>, Settled>();
    for (const part of partsOf(units, atFault)) {
      const ready = await resetAll(part, settled);
      if (ready.length === 0) continue;
      const isAlone = units.length === 1 || atFault.has(ready[0]!);
      // Only the units of this part fail, since other parts may have been committed.
      const failed = (reason: unknown) => ready.map(() => rejected(reason));
      const results = await settleUnits(ready, commit, isAlone).catch(failed);
      for (const [i, unit] of ready.entries()) settled.set(unit, results[i]!);
    }
    return units.map((unit) => settled.get(unit)!);
  }
}

function isLast([first, ...others]: Units, error: unknown, isRetry: boolean): boolean {
  return others.length === 0 && (isRetry || isContended(error) || first!.reset === undefined);
}

function partsOf(units: Units, atFault: ReadonlySet<Unit<unknown>>): Units[] {
  if (units.length === 1) return [units];
  const middle = units.length >> 1;
  if (atFault.size === 0) return [units.slice(0, middle), units.slice(middle)];
  return [units.filter((unit) => !atFault.has(unit)), ...[...atFault].map((unit) => [unit])];
}

/** Resets units and returns those that can run again; the others fail with the error of their `reset`. */
async function resetAll(units: Units, settled: Map<Unit<unknown>, Settled>): Promise<Units> {
  for (const unit of units) {
    try {
      await unit.reset?.();
    } catch (error) {
      settled.set(unit, rejected(error));
    }
  }
  return units.filter((unit) => !settled.has(unit));
}

const rejected = (reason: unknown): Settled => ({ status: 'rejected', reason });
