import type { ClaimLimits, LimitedWorkflow } from '@relata/workflows/execution';
import type { Backlog, RunHint } from './backlog.ts';
import type { Quarantine } from './quarantine.ts';
import { RunSlot, type RunSlots } from './run-slot.ts';

/** A claim to be made, with the slots taken for its runs. `way` is also the label of a metric. */
export type Claim = { slots: readonly RunSlot[] } &
  /** The usual path: runs named by hints. Organizations take turns. */
  (
    | { way: 'hinted'; hints: readonly RunHint[] }
    /** Runs of a workflow with a limit. */
    | { way: 'limited'; workflow: LimitedWorkflow; hints: readonly RunHint[] }
    /** Runs of an organization that has more runs than the worker had hints or free slots for. */
    | { way: 'overflow'; orgId: string }
  );

/** Numbers of runs that a sweep may claim: by organization, and in total. */
export interface SweepLimits extends ClaimLimits {
  limit: number;
}

const hintsMax = 64;
/**
 * Maximum number of hints of one organization in a claim with hints of other organizations. All hints of a claim wait
 * until the claim is made and its runs have begun their first steps.
 */
const hintsOfOneMax = 8;

/** Share of an organization's slots that must be free before a claim is worth the round trip to the database. */
const claimShareMin = 1 / 4;
/**
 * Maximum time for which a claim is held back, in milliseconds, which is about as long as a shared transaction takes.
 * After that, a claim is made even for a single free slot.
 */
const heldBackMs = 25;
/** Maximum number of organizations for which the schedule remembers since when claims are held back. */
const heldBackMax = 1_000;

/** Share of the free slots that a sweep may fill. */
const sweptShare = 3 / 4;
/** Share of all slots that must be free before a sweep that follows a full sweep. */
const sweepShareMin = 1 / 4;

type MayTake = (orgId: string) => boolean;

/**
 * Decides which runs to claim next, and takes their slots. It does not wait and does not query the database. `now` is
 * the time of the caller's clock.
 */
export class Schedule {
  readonly #slots: RunSlots;
  readonly #backlog: Backlog;
  readonly #quarantine: Quarantine;
  /**
   * Organizations with too few free slots for a claim, each with the time since which its claims have been held back.
   */
  readonly #heldBack = new Map<string, number>();
  #sweepAt = -Infinity;
  #isSweepFull = false;

  constructor(slots: RunSlots, backlog: Backlog, quarantine: Quarantine) {
    this.#slots = slots;
    this.#backlog = backlog;
    this.#quarantine = quarantine;
  }

  /** Returns the claims to make now, or the milliseconds to wait if there are none. */
  next(now: number): { claims: Claim[]; waitMs: number } {
    const quietMs = this.#quarantine.quietMs(now);
    if (quietMs > 0) return { claims: [], waitMs: quietMs };
    const waits = new Map<string, number>();
    const isWorthIt: MayTake = (orgId) => {
      if (!waits.has(orgId)) waits.set(orgId, this.#waitMs(orgId, now));
      return waits.get(orgId) === 0;
    };
    const workflows = this.#claimWorkflows();
    const hinted = this.#claimHints(now, isWorthIt);
    const overflow = hinted.length === 0 ? this.#claimOverflow(isWorthIt) : [];
    const waitMs = Math.min(this.#quarantine.turnInMs(now), ...[...waits.values()].filter((ms) => ms > 0));
    return { claims: [...workflows, ...hinted, ...overflow], waitMs };
  }

  /**
   * Records the results of claims. Returns true if a run named by a hint was not claimed, perhaps because its workflow
   * limits concurrent runs.
   */
  claimed(made: readonly { claim: Claim; runs: readonly unknown[] }[]): boolean {
    for (const { claim, runs } of made) {
      // If a claim filled all its slots, there may be more runs.
      if (runs.length === 0 || runs.length < claim.slots.length) continue;
      if (claim.way === 'overflow') this.#backlog.addOrganizations([claim.orgId]);
      if (claim.way === 'limited' && claim.hints.length === 0) this.#backlog.addWorkflows([claim.workflow]);
    }
    return made.some(({ claim, runs }) => 'hints' in claim && runs.length < claim.hints.length);
  }

  /** Returns the milliseconds until the next sweep: 0 if it is due, `Infinity` if it must wait for more free slots. */
  sweepWaitMs(now: number): number {
    const quietMs = this.#quarantine.quietMs(now);
    if (quietMs > 0) return quietMs;
    const { free, size } = this.#slots.runs;
    if (free < (this.#isSweepFull ? size * sweepShareMin : 1)) return Infinity;
    return Math.max(0, this.#sweepAt - now);
  }

  sweepRoom(orgIds: Iterable<string>): SweepLimits {
    const { runs } = this.#slots;
    const of = new Map([...new Set(orgIds)].map((orgId) => [orgId, runs.roomFor([orgId])]));
    return { limit: Math.ceil(runs.free * sweptShare), of, ofOthers: runs.roomFor(['']) };
  }

  /** Records a sweep. A full sweep may have left runs, so the next sweep waits only for free slots. */
  swept(isFull: boolean, nextAt: number): void {
    this.#isSweepFull = isFull;
    this.#sweepAt = isFull ? -Infinity : nextAt;
  }

  /** Returns true if one of these organizations cannot get another slot. */
  isAnyFull(orgIds: Iterable<string>): boolean {
    return [...new Set(orgIds)].some((orgId) => this.#room(orgId) === 0);
  }

  readonly #room = (orgId: string): number => this.#slots.runs.roomFor([orgId]);

  #waitMs(orgId: string, now: number): number {
    const room = this.#room(orgId);
    if (room === 0) return Infinity;
    const isFew = room < (room + this.#slots.runs.heldBy([orgId])) * claimShareMin;
    const heldBackFor = now - (this.#heldBack.get(orgId) ?? now);
    if (!isFew || heldBackFor >= heldBackMs) {
      this.#heldBack.delete(orgId);
      return 0;
    }
    if (this.#heldBack.size >= heldBackMax) this.#heldBack.clear();
    this.#heldBack.set(orgId, now - heldBackFor);
    return heldBackMs - heldBackFor;
  }

  /**
   * Returns a claim for each workflow with a limit. The number of runs that the limit allows is not known here. So each
   * claim takes half of the free slots of the organization, which leaves some for its hints.
   */
  #claimWorkflows(): Claim[] {
    const claims: Claim[] = [];
    for (let workflow; (workflow = this.#backlog.takeWorkflow((orgId) => this.#room(orgId) > 0));) {
      const slots = this.#take(workflow.org_id, Math.ceil(this.#room(workflow.org_id) / 2));
      claims.push({ way: 'limited', workflow, hints: [], slots });
    }
    return claims;
  }

  /** Returns one claim for all hints of workflows without a limit, and one for each workflow with a limit. */
  #claimHints(now: number, isWorthIt: MayTake): Claim[] {
    const slots = new Map<RunHint, RunSlot>();
    const counts = new Map<string, number>();
    const ofOneMax = this.#backlog.isOfSeveral ? hintsOfOneMax : hintsMax;
    let slot: RunSlot | undefined;
    const takeSlot: MayTake = (orgId) => {
      [slot] = this.#take(orgId, 1);
      return slot !== undefined;
    };
    const mayTake: MayTake = (orgId) => (counts.get(orgId) ?? 0) < ofOneMax && isWorthIt(orgId) && takeSlot(orgId);
    while (slots.size < hintsMax) {
      const isFirst = slots.size === 0;
      const hint = (isFirst && this.#quarantine.take(now, takeSlot)) || this.#backlog.take(mayTake);
      if (!hint) break;
      slots.set(hint, slot!);
      counts.set(hint[0], (counts.get(hint[0]) ?? 0) + 1);
    }
    const claims = Map.groupBy(slots.keys(), ([orgId, , limitedBy]) => limitedBy && `${orgId} ${limitedBy}`);
    return [...claims.values()].map((hints) => claimOf(hints, slots));
  }

  #claimOverflow(isWorthIt: MayTake): Claim[] {
    const orgId = this.#backlog.takeOrganization(isWorthIt);
    return orgId === undefined ? [] : [{ way: 'overflow', orgId, slots: this.#take(orgId, this.#room(orgId)) }];
  }

  #take(orgId: string, count: number): RunSlot[] {
    const slots = Array.from({ length: count }, () => new RunSlot(this.#slots, orgId));
    return slots.filter((slot) => slot.take());
  }
}

function claimOf(hints: readonly RunHint[], slotOf: ReadonlyMap<RunHint, RunSlot>): Claim {
  const slots = hints.map((hint) => slotOf.get(hint)!);
  const [org_id, , workflow_id] = hints[0]!;
  if (workflow_id === undefined) return { way: 'hinted', hints, slots };
  return { way: 'limited', workflow: { org_id, workflow_id }, hints, slots };
}
