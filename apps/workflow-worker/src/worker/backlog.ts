import { FairQueue, RecentOrganizations, Shares } from '@relata/runtime';
import type { ClaimedRun, LimitedWorkflow } from '@relata/workflows/execution';

/** A run that can most likely be claimed. `limitedBy` is its workflow, if that is known to limit concurrent runs. */
export type RunHint = readonly [orgId: string, id: string, limitedBy?: string | undefined];

export function toHint({ org_id: orgId, id, workflow_id, is_limited }: ClaimedRun): RunHint {
  return [orgId, id, is_limited ? workflow_id : undefined];
}

/** Maximum number of hints that a worker keeps. For a further hint, it keeps only the organization. */
const hintsMax = 2_048;

/** Milliseconds after a hint during which its organization counts as active. */
const presentMs = 1_000;

/**
 * The claimable runs that a worker knows of. Organizations take turns. Hints beyond an organization's share are
 * dropped; their runs are claimed from the database once the organization has free slots.
 */
export class Backlog {
  readonly #hints = new FairQueue<RunHint>();
  readonly #shares = new Shares(hintsMax);
  readonly #due = new FairQueue<RunHint>();
  /** Ids of the due runs in the backlog, since the database returns a run again until it is claimed. */
  readonly #dueIds = new Set<string>();
  readonly #organizations = new Set<string>();
  readonly #workflows = new Map<string, LimitedWorkflow>();
  readonly #recentOrganizations = new RecentOrganizations(presentMs);

  get size(): number {
    return this.#hints.size + this.#due.size;
  }

  /** True if more than one organization has had hints lately. */
  get isOfSeveral(): boolean {
    return this.#recentOrganizations.isOfSeveral;
  }

  add(hints: readonly RunHint[]): void {
    for (const hint of hints) {
      const [orgId] = hint;
      this.#recentOrganizations.note(orgId);
      if (this.#shares.take([orgId])) this.#hints.add([orgId], hint);
      else this.#organizations.add(orgId);
    }
  }

  /** Adds runs that are due to continue, each only once. They are taken before the hints of their organization. */
  addDue(hints: readonly RunHint[]): void {
    for (const hint of hints) {
      const [orgId, id] = hint;
      if (this.#dueIds.has(id)) continue;
      this.#dueIds.add(id);
      this.#due.add([orgId], hint);
    }
  }

  /** Adds organizations that have claimable runs without hints. */
  addOrganizations(orgIds: readonly string[]): void {
    for (const orgId of orgIds) this.#organizations.add(orgId);
  }

  /** Adds workflows with a limit that may have claimable runs. */
  addWorkflows(workflows: readonly LimitedWorkflow[]): void {
    for (const { org_id, workflow_id } of workflows)
      this.#workflows.set(keyOf({ org_id, workflow_id }), { org_id, workflow_id });
  }

  /** Takes the next hint of an organization for which `mayTake` returns true, due runs first. */
  take(mayTake: (orgId: string) => boolean): RunHint | undefined {
    const due = this.#due.take(([orgId]) => mayTake(orgId));
    if (due) this.#dueIds.delete(due[1]);
    const hint = due ?? this.#hints.take(([orgId]) => mayTake(orgId));
    if (hint && !due) this.#shares.giveBack([hint[0]]);
    return hint;
  }

  /** Takes the first organization that has runs without hints and for which `mayTake` returns true. */
  takeOrganization(mayTake: (orgId: string) => boolean): string | undefined {
    const orgId = this.#organizations.values().find(mayTake);
    if (orgId !== undefined) this.#organizations.delete(orgId);
    return orgId;
  }

  /** Takes the first workflow with a limit for whose organization `mayTake` returns true. */
  takeWorkflow(mayTake: (orgId: string) => boolean): LimitedWorkflow | undefined {
    const workflow = this.#workflows.values().find(({ org_id: orgId }) => mayTake(orgId));
    if (workflow) this.#workflows.delete(keyOf(workflow));
    return workflow;
  }
}

const keyOf = ({ org_id, workflow_id }: LimitedWorkflow) => `${org_id} ${workflow_id}`;
