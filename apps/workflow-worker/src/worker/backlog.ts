import { FairQueue, Presence, Shares } from '@relata/runtime';
import type { ClaimedRun, LimitedWorkflow } from '@relata/workflows/execution';

/**
 * A run that can most likely be claimed. `limitedBy` is the workflow that it is claimed through, if that is known and
 * limits how many runs go on at once.
 */
export type RunHint = readonly [orgId: string, id: string, limitedBy?: string | undefined];

export function hintOf({ org_id: orgId, id, workflow_id, is_limited }: ClaimedRun): RunHint {
  return [orgId, id, is_limited ? workflow_id : undefined];
}

/** Hints that a worker keeps; of more it only notes whose they are. */
const hintsMax = 2_048;

/** How long after a hint for another organization one counts as beside it, in milliseconds. */
const presentMs = 1_000;

/**
 * What a worker knows that there is to claim. Organizations take turns in it. One with more than its share of hints loses
 * some: the rest of its runs is claimed from the database as soon as it has room.
 */
export class Backlog {
  readonly #hints = new FairQueue<RunHint>();
  readonly #shares = new Shares(hintsMax);
  readonly #due = new FairQueue<RunHint>();
  /** Ids of due runs, which are found again until they are claimed. */
  readonly #dueIds = new Set<string>();
  readonly #organizations = new Set<string>();
  readonly #workflows = new Map<string, LimitedWorkflow>();
  readonly #presence = new Presence(presentMs);

  /** The number of hints. */
  get size(): number {
    return this.#hints.size + this.#due.size;
  }

  /** True if more than one organization has had hints lately. */
  get isOfSeveral(): boolean {
    return this.#presence.isOfSeveral;
  }

  add(hints: readonly RunHint[]): void {
    for (const hint of hints) {
      const [orgId] = hint;
      this.#presence.note(orgId);
      if (this.#shares.take([orgId])) this.#hints.add([orgId], hint);
      else this.#organizations.add(orgId);
    }
  }

  /** Adds runs that should go on by now: they go before all others of their organization, each once. */
  addDue(hints: readonly RunHint[]): void {
    for (const hint of hints) {
      const [orgId, id] = hint;
      if (this.#dueIds.has(id)) continue;
      this.#dueIds.add(id);
      this.#due.add([orgId], hint);
    }
  }

  /** Adds organizations that have runs to claim which no hint names. */
  addOrganizations(orgIds: readonly string[]): void {
    for (const orgId of orgIds) this.#organizations.add(orgId);
  }

  /** Adds workflows with a limit that may have runs to claim. */
  addWorkflows(workflows: readonly LimitedWorkflow[]): void {
    for (const { org_id, workflow_id } of workflows)
      this.#workflows.set(`${org_id} ${workflow_id}`, { org_id, workflow_id });
  }

  /** Takes the next hint of an organization for which `mayTake` returns true, due runs first. */
  take(mayTake: (orgId: string) => boolean): RunHint | undefined {
    const due = this.#due.take(([orgId]) => mayTake(orgId));
    if (due) this.#dueIds.delete(due[1]);
    const hint = due ?? this.#hints.take(([orgId]) => mayTake(orgId));
    if (hint && !due) this.#shares.giveBack([hint[0]]);
    return hint;
  }

  /** Takes the first organization with runs that no hint names for which `mayTake` returns true. */
  takeOrganization(mayTake: (orgId: string) => boolean): string | undefined {
    for (const orgId of this.#organizations) {
      if (!mayTake(orgId)) continue;
      this.#organizations.delete(orgId);
      return orgId;
    }
    return undefined;
  }

  /** Takes the first workflow with a limit for whose organization `mayTake` returns true. */
  takeWorkflow(mayTake: (orgId: string) => boolean): LimitedWorkflow | undefined {
    for (const [key, workflow] of this.#workflows) {
      if (!mayTake(workflow.org_id)) continue;
      this.#workflows.delete(key);
      return workflow;
    }
    return undefined;
  }
}
