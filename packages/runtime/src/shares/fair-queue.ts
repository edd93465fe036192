import type { Party } from './shares.ts';

/** Taken items that a lane may still hold on to. */
const takenMax = 1_000;

interface Lane<Item> {
  items: Item[];
  /** Items before it have been taken; shifting them off one by one would move all others each time. */
  next: number;
}

/** A queue in which organizations take turns: each is first in, first out, and none waits for all of another's items. */
export class FairQueue<Item> {
  /** In the order of their turns. */
  readonly #lanes = new Map<string, Lane<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(party: Party, item: Item): void {
    const name = nameOf(party);
    const lane = this.#lanes.get(name);
    if (lane) lane.items.push(item);
    else this.#lanes.set(name, { items: [item], next: 0 });
    this.#size++;
  }

  /**
   * Takes the item whose turn it is; then it is the next organization's turn. Those whose first item may not go now keep
   * their turns.
   */
  take(mayGo: (item: Item) => boolean = always): Item | undefined {
    for (const [name, lane] of this.#lanes) {
      if (mayGo(lane.items[lane.next]!)) return this.#takeOf(name, lane);
    }
    return undefined;
  }

  /** Takes an item of the organization of which `measure` is the least; of equal ones in turn. */
  takeLeast(measure: (organization: string) => number): Item | undefined {
    let [least, leastName] = [Infinity, ''];
    for (const name of this.#lanes.keys()) {
      const measured = measure(name);
      if (measured < least) [least, leastName] = [measured, name];
    }
    const lane = this.#lanes.get(leastName);
    return lane && this.#takeOf(leastName, lane);
  }

  /** Takes out an item that waits no longer; false where it is not there. */
  remove(party: Party, item: Item): boolean {
    const name = nameOf(party);
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
    lane.next++;
    this.#size--;
    this.#endTurn(name, lane);
    return item;
  }

  #endTurn(name: string, lane: Lane<Item>): void {
    if (lane.next === lane.items.length) return void this.#lanes.delete(name);
    if (lane.next >= takenMax) {
      lane.items.splice(0, lane.next);
      lane.next = 0;
    }
    if (this.#lanes.size === 1) return;
    this.#lanes.delete(name);
    this.#lanes.set(name, lane);
  }
}

const always = () => true;

/** Turns go by the organization, whatever it is made of. */
export function nameOf([organization = '']: Party): string {
  return organization;
}
