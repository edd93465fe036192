import type { Shares } from '@relata/runtime';
import type { ClaimedRun } from '@relata/workflows/execution';
import { RunTooLargeError } from '../steps/step.error.ts';
import { estimateHeapBytes } from './heap-bytes.ts';

/** Maximum total size of the outputs that later steps of a run can see, in characters of JSON. */
const runCharactersMax = 2_000_000;

/** Share of a limit above which one more output might exceed the limit. */
const largeShare = 1 / 2;

/** Share of the memory for all runs that the outputs of one run may take. */
const runShareMax = 1 / 4;

/**
 * Bytes that each postponed run needed. A run that still does not fit is postponed again at once. Otherwise the
 * database would have to decompress all its values to determine their size again.
 */
export type PostponedRuns = Pick<Map<string, number>, 'get' | 'delete'> & {
  set(runId: string, bytes: number): unknown;
};

/** Share of the memory for all runs that an organization can have while no other organization holds any. */
const organizationShareMax = 1 / 2;

const inputTooLarge =
  'The body of the delivery is too large for a worker: its values would need more than half of the memory for all runs. ' +
  'Let the workflow use inputs instead of `payload`, so that runs do not load the body.';

const tooLargeTogether =
  'The body of the delivery, the items of the loop and the outputs that later steps can see are too large for a worker: ' +
  'together they would need more than half of the memory for all runs. Let the workflow use inputs instead of ' +
  '`payload`, so that runs do not load the body, or handle fewer items per run.';

const tooLargeAlone =
  'The outputs that later steps can see are too large for a worker: they would need more than a quarter of the memory ' +
  'for all runs. Many small objects need more memory than one large text.';

type RunOf = Pick<ClaimedRun, 'org_id' | 'id'>;

interface Size {
  characters: number;
  bytes: number;
}

const nothing: Size = { characters: 0, bytes: 0 };

/**
 * Memory for the definition of a run, and for the values that it carries from step to step. It counts towards the
 * organization's share. A run that exceeds the share is postponed and releases all its memory. So no run holds memory
 * while it waits for more, and other runs find room.
 */
export class RunMemory implements Disposable {
  readonly #budget: Shares;
  /** Maximum memory that the run can reserve, for everything that it carries. */
  readonly #reservedMax: number;
  /** Maximum memory for the outputs of the run. */
  readonly #bytesMax: number;
  readonly #party: readonly [string];
  readonly #runId: string;
  readonly #postponed: PostponedRuns;
  #taken = 0;
  #base = 0;
  #total = nothing;
  /** Size of the outputs of the current iteration of a loop. `#last` is the size of its latest output. */
  #round = nothing;
  #last = nothing;
  #index: string | undefined;
  /** Size of the outputs of the previous iterations. Only the output of the last step of each iteration counts. */
  #list = nothing;
  #items = 0;

  constructor(budget: Shares, bytesMax: number, { org_id: orgId, id }: RunOf, postponed: PostponedRuns) {
    this.#budget = budget;
    this.#reservedMax = bytesMax * organizationShareMax;
    this.#bytesMax = bytesMax * runShareMax;
    this.#party = [orgId];
    this.#runId = id;
    this.#postponed = postponed;
  }

  /**
   * Starts again with only the definition and the values that the run was started with, which take this many bytes.
   * Throws RunTooLargeError if this is more memory than an organization can have, because the run could never reserve
   * it.
   */
  reset(bytes: number): void {
    this.#base = bytes;
    if (this.#base > this.#reservedMax) throw new RunTooLargeError(inputTooLarge);
    this.#total = this.#round = this.#last = this.#list = nothing;
    this.#index = undefined;
    this.#items = 0;
  }

  /** Like `reset`, and reserves the memory. Returns false if there is not enough. */
  reserve(bytes: number): boolean {
    this.reset(bytes);
    return this.fits() && this.mayFit();
  }

  /** Enters a loop, whose items are held until it ends. Throws RunTooLargeError if the run would carry too much. */
  enter(items: string): void {
    const bytes = estimateHeapBytes(items);
    if (!this.canCarry(bytes)) throw new RunTooLargeError(tooLargeTogether);
    this.#items = bytes;
  }

  /**
   * Counts the output of a step. If the run would carry too much, throws RunTooLargeError without counting the output.
   */
  add(path: string, text: string): void {
    const size = { characters: text.length, bytes: estimateHeapBytes(text) };
    const index = /\[(\d+)\]\.[^.]*$/.exec(path)?.[1];
    if (index !== this.#index) this.#endRound(index);
    const total = plus(this.#total, size);
    if (total.characters > runCharactersMax) throw new RunTooLargeError();
    if (total.bytes > this.#bytesMax) throw new RunTooLargeError(tooLargeAlone);
    if (!this.canCarry(size.bytes)) throw new RunTooLargeError(tooLargeTogether);
    this.#total = total;
    if (index === undefined) return;
    this.#round = plus(this.#round, size);
    this.#last = size;
  }

  /** True if the output of a further step might exceed a limit. */
  get isNearlyFull(): boolean {
    const { characters, bytes } = this.#total;
    return characters > runCharactersMax * largeShare || bytes > this.#bytesMax * largeShare;
  }

  /** Leaves a loop. Later steps no longer see the outputs of its iterations. */
  leaveLoop(): void {
    this.#endRound(undefined);
    this.#total = minus(this.#total, this.#list);
    this.#list = nothing;
    this.#items = 0;
  }

  /** Returns false if the run could never reserve this many more bytes, and would wait for them forever. */
  canCarry(bytes: number): boolean {
    return this.#carried + bytes <= this.#reservedMax;
  }

  get #carried(): number {
    return this.#base + this.#items + this.#total.bytes;
  }

  /** Reserves memory for everything that the run carries. Returns false if the organization's share has no room. */
  fits(): boolean {
    const wanted = this.#carried;
    if (wanted <= this.#taken) this.#budget.giveBack(this.#party, this.#taken - wanted);
    else if (!this.#budget.take(this.#party, wanted - this.#taken)) return this.#lacks(wanted);
    this.#taken = wanted;
    return true;
  }

  /** Returns true if there is room for values that are about to be loaded. */
  hasRoomFor(characters: number): boolean {
    return characters <= this.#budget.roomFor(this.#party) || this.#lacks(this.#taken + characters);
  }

  /**
   * Returns false if the run was postponed before and still would not fit, so that its body would be loaded in vain.
   * Call it before the run holds any memory.
   */
  mayLoad(): boolean {
    const wanted = this.#postponed.get(this.#runId);
    return wanted === undefined || this.#budget.canTake(this.#party, wanted);
  }

  /** Returns false if the run was postponed before and there is still no room for it. */
  mayFit(): boolean {
    const wanted = this.#postponed.get(this.#runId);
    if (wanted !== undefined && wanted > this.#taken + this.#budget.roomFor(this.#party)) return false;
    this.#postponed.delete(this.#runId);
    return true;
  }

  #lacks(bytes: number): false {
    this.#postponed.set(this.#runId, bytes);
    return false;
  }

  [Symbol.dispose](): void {
    this.#budget.giveBack(this.#party, this.#taken);
    this.#taken = 0;
  }

  #endRound(next: string | undefined): void {
    this.#total = minus(plus(this.#total, this.#last), this.#round);
    this.#list = plus(this.#list, this.#last);
    this.#round = this.#last = nothing;
    this.#index = next;
  }
}

function plus(a: Size, b: Size): Size {
  return { characters: a.characters + b.characters, bytes: a.bytes + b.bytes };
}

function minus(a: Size, b: Size): Size {
  return { characters: a.characters - b.characters, bytes: a.bytes - b.bytes };
}
