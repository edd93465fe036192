/**
 * A party that asks for a part of a shared resource, named from the widest group to the narrowest: `[orgId]`, `[orgId,
 * keyId]`. The party `[]` is limited only by the total.
 */
export type Party = readonly string[];

interface Holder {
  held: number;
  /** Undefined until a part is held, since holders come and go with each request and most have no parts. */
  parts: Map<string, Holder> | undefined;
}

/**
 * The rule for everything that organizations share: slots, connections, bytes, room in a queue. A party may hold as
 * much as it leaves free for others. A single party gets half, and two get a third each. So a newcomer usually finds
 * room: a party that holds nothing yet gets something as long as enough is free. Keys or triggers of one organization
 * share its part by the same rule. (For network switches the rule is known as dynamic thresholds: Choudhury and Hahne,
 * 1998.)
 */
export class Shares {
  readonly #size: number;
  readonly #all: Holder = newHolder();

  constructor(size: number) {
    this.#size = size;
  }

  get free(): number {
    return this.#size - this.#all.held;
  }

  heldBy(party: Party): number {
    let holder: Holder | undefined = this.#all;
    for (const name of party) holder = holder?.parts?.get(name);
    return holder?.held ?? 0;
  }

  /** Returns the most that the party could take now. */
  roomFor(party: Party): number {
    let room = this.free;
    let holder: Holder | undefined = this.#all;
    for (const name of party) {
      holder = holder?.parts?.get(name);
      room = (room - (holder?.held ?? 0)) / 2;
    }
    return Math.max(Math.floor(room), this.canTake(party) ? 1 : 0);
  }

  /** Takes an amount; returns false, without taking anything, if there is not enough room. */
  take(party: Party, amount = 1): boolean {
    if (amount === 0) return true;
    if (!this.canTake(party, amount)) return false;
    this.add(party, amount);
    return true;
  }

  /** Adds an amount that the party holds already, even if it exceeds the party's share. */
  add(party: Party, amount = 1): void {
    if (amount === 0) return;
    let holder = this.#all;
    holder.held += amount;
    for (const name of party) {
      const parts: Map<string, Holder> = (holder.parts ??= new Map());
      const part = parts.getOrInsertComputed(name, newHolder);
      part.held += amount;
      holder = part;
    }
  }

  giveBack(party: Party, amount = 1): void {
    if (amount === 0) return;
    let holder = this.#all;
    holder.held -= amount;
    for (const name of party) {
      const part = holder.parts!.get(name)!;
      part.held -= amount;
      if (part.held === 0) holder.parts!.delete(name);
      holder = part;
    }
  }

  /**
   * Returns true if the party may take the amount. At each level, the amount must leave at least as much free as the
   * party then holds. A party that holds nothing there may take any amount that fits.
   */
  canTake(party: Party, amount = 1): boolean {
    let room = this.free;
    let isAllowed = amount <= room;
    let holder: Holder | undefined = this.#all;
    for (const name of party) {
      holder = holder?.parts?.get(name);
      const held: number = holder?.held ?? 0;
      room = (room - held) / 2;
      isAllowed = amount <= room || (held === 0 && isAllowed);
    }
    return isAllowed;
  }
}

const newHolder = (): Holder => ({ held: 0, parts: undefined });
