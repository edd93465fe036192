import { type Database, isTransient } from '@relata/db';
import { jittered, type Log, pause } from '@relata/runtime';
import {
  type Claimant,
  type ClaimedRun,
  claimLimitedRuns,
  claimOverdueRuns,
  claimRuns,
  claimOrganizationRuns,
} from '@relata/workflows/execution';
import { RunSlot, type RunSlots } from './run-slot.ts';
import type { Claim, SweepLimits } from './schedule.ts';
import type { WorkerMetrics } from './worker.metrics.ts';

export interface ClaimerOptions {
  database: Database;
  log: Log;
  metrics: WorkerMetrics;
  name: string;
  leaseMs: number;
}

export interface Claimed {
  run: ClaimedRun;
  slot: RunSlot;
}

export interface MadeClaim {
  claim: Claim;
  runs: Claimed[];
}

interface Sweep {
  runs: Claimed[];
  /** Organizations that filled all their slots, and may have more runs. */
  full: string[];
  /** True if the sweep has claimed as many runs as its limit allows. */
  isFull: boolean;
}

const failurePauseMs = 250;

/** Makes claims. A failed claim has claimed no run, and is followed by a pause. */
export class Claimer {
  readonly #options: ClaimerOptions;

  constructor(options: ClaimerOptions) {
    this.#options = options;
  }

  /** Makes claims concurrently, and frees the slots for which no run was claimed. */
  claim(claims: readonly Claim[], signal: AbortSignal): Promise<MadeClaim[]> {
    return Promise.all(claims.map((claim) => this.#make(claim, signal)));
  }

  /** Claims runs that no hint names. If the organization of a run has no free slot, the run waits for one. */
  async sweep(room: SweepLimits, slots: RunSlots, signal: AbortSignal): Promise<Sweep> {
    const { limit, of, ofOthers } = room;
    const claimed = await this.#claim('sweep', limit, signal, (claimant) =>
      claimOverdueRuns(this.#options.database, room, claimant),
    );
    const runs = claimed.map((run) => {
      const slot = new RunSlot(slots, run.org_id);
      // If none is free, the run waits for a slot when it resumes.
      slot.take();
      return { run, slot };
    });
    const byOrganization = Map.groupBy(claimed, ({ org_id }) => org_id);
    const full = [...byOrganization].filter(([orgId, { length }]) => length >= (of.get(orgId) ?? ofOthers));
    return { runs, full: full.map(([orgId]) => orgId), isFull: claimed.length >= limit };
  }

  async #make(claim: Claim, signal: AbortSignal): Promise<MadeClaim> {
    const claimed = await this.#claim(claim.way, claim.slots.length, signal, (claimant) =>
      this.#query(claim, claimant),
    );
    const unused = [...claim.slots];
    const runs = claimed.map((run) => {
      const at = unused.findIndex((slot) => slot.orgId === run.org_id);
      return { run, slot: unused.splice(at, 1)[0]! };
    });
    for (const slot of unused) slot.free();
    return { claim, runs };
  }

  #query(claim: Claim, claimant: Claimant): Promise<ClaimedRun[]> {
    const { database } = this.#options;
    if (claim.way === 'overflow') return claimOrganizationRuns(database, claim.orgId, claimant);
    if (claim.way === 'hinted') return claimRuns(database, claim.hints, claimant);
    // If another worker has claimed a run named by a hint, its slot goes to the next run of the workflow.
    const ids = claim.hints.map(([, id]) => id);
    return database.transaction((db) => claimLimitedRuns(db, claim.workflow, claimant, ids));
  }

  async #claim(
    way: string,
    limit: number,
    signal: AbortSignal,
    query: (claimant: Claimant) => Promise<ClaimedRun[]>,
  ): Promise<ClaimedRun[]> {
    const { name: worker, leaseMs, log, metrics } = this.#options;
    if (limit === 0) return [];
    try {
      const claimed = await query({ worker, leaseMs, limit });
      metrics.claimed(way, claimed);
      return claimed;
    } catch (error) {
      if (!isTransient(error)) log.error({ err: error, way }, 'claim of runs failed');
      await pause(jittered(failurePauseMs), signal);
      return [];
    }
  }
}
