import { FairQueue, Shares } from '@relata/runtime';
import type { ClaimedRun } from '@relata/workflows/execution';

/** `limitedBy` is the workflow that the run is claimed through, where that is known and limits how many go on at once. */
export type RunName = readonly [orgId: string, id: string, limitedBy?: string | undefined];

export function nameOf({ org_id: orgId, id, workflow_id, is_limited }: ClaimedRun): RunName {
  return [orgId, id, is_limited ? workflow_id : undefined];
}

/** Names that a worker keeps; of more it only notes whose they are. */
const namesMax = 2_048;

/**
 * Runs that a worker was notified of and has not claimed yet. An organization with more than its share of them is behind:
 * the rest of its runs is claimed from the database as soon as there are places for it.
 */
export class RunNames {
  readonly #queue = new FairQueue<RunName>();
  readonly #shares = new Shares(namesMax);
  readonly #behind = new Set<string>();
  readonly #overdue = new FairQueue<RunName>();
  /** Ids of what is overdue, which is found again until it is claimed. */
  readonly #overdueIds = new Set<string>();

  get size(): number {
    return this.#queue.size + this.#overdue.size;
  }

  add(name: RunName): void {
    const [orgId] = name;
    if (this.#shares.take([orgId])) this.#queue.add([orgId], name);
    else this.#behind.add(orgId);
  }

  /** A run that should have gone on by now: it goes before all others of its organization. */
  addOverdue(name: RunName): void {
    const [orgId, id] = name;
    if (this.#overdueIds.has(id)) return;
    this.#overdueIds.add(id);
    this.#overdue.add([orgId], name);
  }

  /** The next names of organizations for which a place is taken. */
  take(most: number, takePlace: (orgId: string) => boolean): RunName[] {
    const names: RunName[] = [];
    while (names.length < most) {
      const name = this.#takeOverdue(takePlace) ?? this.#takeNamed(takePlace);
      if (!name) break;
      names.push(name);
    }
    return names;
  }

  #takeOverdue(takePlace: (orgId: string) => boolean): RunName | undefined {
    const name = this.#overdue.take(([orgId]) => takePlace(orgId));
    if (name) this.#overdueIds.delete(name[1]);
    return name;
  }

  #takeNamed(takePlace: (orgId: string) => boolean): RunName | undefined {
    const name = this.#queue.take(([orgId]) => takePlace(orgId));
    if (name) this.#shares.giveBack([name[0]]);
    return name;
  }

  noteBehind(orgId: string): void {
    this.#behind.add(orgId);
  }

  /** The first organization that is behind and has room; it is behind no longer unless that is noted again. */
  takeBehind(hasRoom: (orgId: string) => boolean): string | undefined {
    for (const orgId of this.#behind) {
      if (!hasRoom(orgId)) continue;
      this.#behind.delete(orgId);
      return orgId;
    }
    return undefined;
  }
}
