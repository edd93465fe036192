import type { Party } from './shares.ts';

/** Maximum number of empty places that an organization's lane keeps before it removes them. */
const emptyMax = 1_000;

interface Lane<Item> {
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
  readonly #lanes = new Map<string, Lane<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(party: Party, item: Item): void {
    this.#lanes.getOrInsertComputed(organizationName(party), newLane).items.push(item);
    this.#size++;
  }

  /**
   * Takes the item whose turn it is, after which the next organization has its turn. Organizations whose first item
   * cannot proceed keep their turns.
   */
  take(mayGo: (item: Item) => boolean = always): Item | undefined {
    for (const [name, lane] of this.#lanes) {
      if (mayGo(lane.items[lane.next]!)) return this.#takeOf(name, lane);
    }
    return undefined;
  }

  /**
   * Takes the first item of the organization with the least `measure`, among the organizations whose first item can
   * proceed. Organizations with equal measures take turns.
   */
  takeLeast(measure: (organization: string) => number, mayGo: (item: Item) => boolean = always): Item | undefined {
    let [least, leastName] = [Infinity, ''];
    for (const [name, lane] of this.#lanes) {
      const measured = measure(name);
      if (measured < least && mayGo(lane.items[lane.next]!)) [least, leastName] = [measured, name];
    }
    const lane = this.#lanes.get(leastName);
    return lane && this.#takeOf(leastName, lane);
  }

  /** Removes an item that no longer waits; returns false if it is not in the queue. */
  remove(party: Party, item: Item): boolean {
    const name = organizationName(party);
    const lane = this.#lanes.get(name);
    const at = lane?.items.indexOf(item, lane.next) ?? -1;
    if (at < 0) return false;
    lane!.items.splice(at, 1);
    this.#size--;
    if (lane!.next === lane!.items.length) this.#lanes.delete(name);
    return true;
  }

  #takeOf(name: string, lane: Lane<Item>): Item {
    const item = lane.items[lane.next]!;
    lane.items[lane.next] = undefined;
    lane.next++;
    this.#size--;
    this.#endTurn(name, lane);
    return item;
  }

  #endTurn(name: string, lane: Lane<Item>): void {
    if (lane.next === lane.items.length) return void this.#lanes.delete(name);
    if (lane.next >= emptyMax) {
      lane.items.splice(0, lane.next);
      lane.next = 0;
    }
    if (this.#lanes.size === 1) return;
    this.#lanes.delete(name);
    this.#lanes.set(name, lane);
  }
}

const always = () => true;
const newLane = () => ({ items: [], next: 0 });

/** Returns the name by which turns are taken: the organization. */
export function organizationName([organization = '']: Party): string {
  return organization;
}
