import { type Database, isPassing } from '@relata/db';
import type { Log } from '@relata/runtime';
import {
  type Claimant,
  type ClaimedRun,
  claimLimitedRuns,
  claimOverdueRuns,
  claimRuns,
  claimRunsOf,
  type LimitedWorkflow,
  listDueRuns,
  listLimitedWorkflows,
} from '@relata/workflows/execution';
import { jittered, pause } from './pause.ts';
import { Place, type Places } from './place.ts';
import type { RunName } from './run-names.ts';
import type { WorkerMetrics } from './worker.metrics.ts';

export interface ClaimsOptions {
  database: Database;
  log: Log;
  metrics: WorkerMetrics;
  places: Places;
  /** Shown to operators with the runs that it has. */
  name: string;
  leaseMs: number;
  /** Organizations of the runs that the worker has. */
  activeOrganizations(): Iterable<string>;
  /** A run was claimed; its place may still have to be waited for. */
  start(run: ClaimedRun, place: Place): void;
}

/** A run to be claimed by its name, and the place that is taken for it. */
interface Named {
  name: RunName;
  place: Place;
}

const troubleMs = 250;

/** A sweep leaves some places to later runs. */
const sweptShare = 0.75;

/** Claims runs for the places that there are: never more of an organization than it has room for. */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #stopping: AbortSignal;

  constructor(options: ClaimsOptions, stopping: AbortSignal) {
    this.#options = options;
    this.#stopping = stopping;
  }

  roomOf(orgId: string): number {
    return this.#options.places.runs.roomFor([orgId]);
  }

  /** Claims runs by name, for each of which its organization's place is taken already. Returns whether all were claimed. */
  async claimNamed(names: readonly RunName[], places: readonly Place[]): Promise<boolean> {
    const all = names.map((name, at) => ({ name, place: places[at]! }));
    const byWorkflow = Map.groupBy(all, ({ name: [, , limitedBy] }) => limitedBy);
    const claims = [...byWorkflow].map(([workflowId, named]) =>
      workflowId === undefined ? this.#claimUnlimited(named) : this.#claimThrough(workflowId, named),
    );
    return (await Promise.all(claims)).every(Boolean);
  }

  async #claimUnlimited(named: readonly Named[]): Promise<boolean> {
    const names = named.map(({ name: [orgId, id] }) => [orgId, id] as const);
    const claimed = await this.#claim('ring', names.length, (claimant) =>
      claimRuns(this.#options.database, names, claimant),
    );
    // A run may be named twice.
    const unused = new Map(named.map(({ name: [, id], place }) => [place, id]));
    for (const run of claimed) {
      const [place] = [...unused].find(([, id]) => id === run.id)!;
      unused.delete(place);
      this.#options.start(run, place);
    }
    for (const place of unused.keys()) place.free();
    return claimed.length === names.length;
  }

  /** Where another worker has a named run already, its place is for the next one of the workflow. */
  async #claimThrough(workflowId: string, named: readonly Named[]): Promise<boolean> {
    const workflow = { org_id: named[0]!.name[0], workflow_id: workflowId };
    const [places, ids] = [named.map(({ place }) => place), named.map(({ name: [, id] }) => id)];
    return this.#claimLimitedInto(places, workflow, ids);
  }

  /** Claims as many runs of an organization as it has room for; returns whether there may be more. */
  async claimOf(orgId: string): Promise<boolean> {
    return this.#claimInto('behind', this.#placesOf(orgId), (claimant) =>
      claimRunsOf(this.#options.database, orgId, claimant),
    );
  }

  /** Returns the organizations that were given all they have room for, and whether others may have been left out. */
  async sweep(): Promise<{ behind: string[]; isFull: boolean }> {
    const { database, places, activeOrganizations, start } = this.#options;
    const limit = Math.ceil(places.runs.free * sweptShare);
    if (limit === 0) return { behind: [], isFull: false };
    const of = new Map([...new Set(activeOrganizations())].map((orgId) => [orgId, this.roomOf(orgId)]));
    const limits = { of, ofOthers: this.roomOf('') };
    const claimed = await this.#claim('sweep', limit, (claimant) => claimOverdueRuns(database, limits, claimant));
    const counts = new Map<string, number>();
    for (const run of claimed) {
      counts.set(run.org_id, (counts.get(run.org_id) ?? 0) + 1);
      const place = new Place(places, run.org_id);
      place.take();
      start(run, place);
    }
    const behind = [...counts].filter(([orgId, count]) => count >= (of.get(orgId) ?? limits.ofOthers));
    return { behind: behind.map(([orgId]) => orgId), isFull: claimed.length >= limit };
  }

  /** Runs that were begun and should go on; none where the database is away. */
  async dueRuns(): Promise<RunName[]> {
    const due = await listDueRuns(this.#options.database).catch(() => []);
    return due.map(({ org_id, id, workflow_id }) => [org_id, id, workflow_id ?? undefined]);
  }

  async claimLimited(): Promise<void> {
    if (this.#stopping.aborted) return;
    const workflows = await listLimitedWorkflows(this.#options.database).catch(() => []);
    for (const workflow of workflows) await this.claimOfLimited(workflow);
  }

  async claimOfLimited(workflow: LimitedWorkflow): Promise<void> {
    if (!this.#stopping.aborted) await this.#claimLimitedInto(this.#placesOf(workflow.org_id), workflow, []);
  }

  #claimLimitedInto(places: readonly Place[], workflow: LimitedWorkflow, named: readonly string[]): Promise<boolean> {
    return this.#claimInto('limited', places, (claimant) =>
      this.#options.database.transaction((db) => claimLimitedRuns(db, workflow, claimant, named)),
    );
  }

  /** Places are taken before a claim, so that two claims at once never take more than there are. */
  #placesOf(orgId: string): Place[] {
    const places = Array.from({ length: this.roomOf(orgId) }, () => new Place(this.#options.places, orgId));
    return places.filter((place) => place.take());
  }

  /** Starts what is claimed in these places, and frees the others. Returns false if there were more places than runs. */
  async #claimInto(
    way: string,
    taken: readonly Place[],
    claim: (claimant: Claimant) => Promise<ClaimedRun[]>,
  ): Promise<boolean> {
    const claimed = taken.length === 0 ? [] : await this.#claim(way, taken.length, claim);
    claimed.forEach((run, at) => this.#options.start(run, taken[at]!));
    for (const place of taken.slice(claimed.length)) place.free();
    return claimed.length > 0 && claimed.length === taken.length;
  }

  async #claim(way: string, limit: number, claim: (claimant: Claimant) => Promise<ClaimedRun[]>) {
    const { name: worker, leaseMs, log, metrics } = this.#options;
    try {
      const claimed = await claim({ worker, leaseMs, limit });
      metrics.claimed(way, claimed);
      return claimed;
    } catch (error) {
      if (!isPassing(error)) log.error({ err: error, way }, 'claim of runs failed');
      await pause(jittered(troubleMs), this.#stopping);
      return [];
    }
  }
}
