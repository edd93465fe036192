import type { Party } from './shares.ts';

/** Maximum number of empty places that an organization's queue keeps before it removes them. */
const emptyMax = 1_000;

interface OrganizationQueue<Item> {
  items: (Item | undefined)[];
  /**
   * Index of the next item. The places before it are empty, because their items were taken. Removing each place at once
   * would move all others.
   */
  next: number;
}

/**
 * A queue in which organizations take turns. The items of an organization keep their order, and no organization waits
 * for all items of another.
 */
export class FairQueue<Item> {
  /** The items of each organization, in the order of the organizations' turns. */
  readonly #queues = new Map<string, OrganizationQueue<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(party: Party, item: Item): void {
    this.#queues.getOrInsertComputed(organizationName(party), newQueue).items.push(item);
    this.#size++;
  }

  /**
   * Takes the item whose turn it is, after which the next organization has its turn. Organizations whose first item
   * cannot proceed keep their turns.
   */
  take(mayGo: (item: Item) => boolean = always): Item | undefined {
    for (const [name, queue] of this.#queues) {
      if (mayGo(queue.items[queue.next]!)) return this.#takeOf(name, queue);
    }
    return undefined;
  }

  /**
   * Takes the first item of the organization with the least `measure`, among the organizations whose first item can
   * proceed. Organizations with equal measures take turns.
   */
  takeLeast(measure: (organization: string) => number, mayGo: (item: Item) => boolean = always): Item | undefined {
    let [least, leastName] = [Infinity, ''];
    for (const [name, queue] of this.#queues) {
      const measured = measure(name);
      if (measured < least && mayGo(queue.items[queue.next]!)) [least, leastName] = [measured, name];
    }
    const queue = this.#queues.get(leastName);
    return queue && this.#takeOf(leastName, queue);
  }

  /** Removes an item that no longer waits; returns false if it is not in the queue. */
  remove(party: Party, item: Item): boolean {
    const name = organizationName(party);
    const queue = this.#queues.get(name);
    const at = queue?.items.indexOf(item, queue.next) ?? -1;
    if (at < 0) return false;
    queue!.items.splice(at, 1);
    this.#size--;
    if (queue!.next === queue!.items.length) this.#queues.delete(name);
    return true;
  }

  #takeOf(name: string, queue: OrganizationQueue<Item>): Item {
    const item = queue.items[queue.next]!;
    queue.items[queue.next] = undefined;
    queue.next++;
    this.#size--;
    this.#endTurn(name, queue);
    return item;
  }

  #endTurn(name: string, queue: OrganizationQueue<Item>): void {
    if (queue.next === queue.items.length) return void this.#queues.delete(name);
    if (queue.next >= emptyMax) {
      queue.items.splice(0, queue.next);
      queue.next = 0;
    }
    if (this.#queues.size === 1) return;
    this.#queues.delete(name);
    this.#queues.set(name, queue);
  }
}

const always = () => true;
const newQueue = () => ({ items: [], next: 0 });

/** Returns the name by which turns are taken: the organization. */
export function organizationName([organization = '']: Party): string {
  return organization;
}
