import type { Shares } from '@relata/runtime';
import type { ClaimedRun } from '@relata/workflows/execution';
import { RunTooLargeError } from '../steps/step.error.ts';
import { estimateHeapBytes } from './json-text.ts';

/** Maximum total size of the outputs that later steps of a run can see, as JSON. */
const runCharactersMax = 2_000_000;

/** Share of its maximum beyond which a run may be about to carry too much. */
const largeShare = 1 / 2;

/** Share of all memory for runs that one run may take: it can always continue once others have ended. */
const runShareMax = 1 / 4;

/**
 * Bytes that postponed runs needed, by run. A run that still does not fit is postponed again at once, because
 * determining its size again would make the database unpack everything that it carries.
 */
export type PutOffRuns = Pick<Map<string, number>, 'get' | 'delete'> & { set(runId: string, bytes: number): unknown };

/** Share of all memory for runs that an organization gets while no other holds any. */
const organizationShareMax = 1 / 2;

const inputTooLarge =
  'The body of the delivery is too large for a worker: its values would need more than half of the memory for all runs. ' +
  'Let the workflow use inputs instead of `payload`, so that runs do not load the body.';

const tooLargeTogether =
  'The body of the delivery, the items of the loop and the outputs that later steps can see are too large for a worker: ' +
  'together they would need more than half of the memory for all runs. Let the workflow use inputs instead of ' +
  '`payload`, so that runs do not load the body, or handle fewer items per run.';

type RunOf = Pick<ClaimedRun, 'org_id' | 'id'>;

interface Size {
  characters: number;
  bytes: number;
}

const nothing: Size = { characters: 0, bytes: 0 };

/**
 * Memory that a run carries from step to step. It counts towards the share of its organization. A run that exceeds the
 * share is postponed and releases everything, so that the others always find room: no run waits for memory while it
 * holds some.
 */
export class RunMemory implements Disposable {
  readonly #budget: Shares;
  /** Maximum that the run can reserve, with everything that it carries. */
  readonly #reservedMax: number;
  /** Maximum of its outputs. */
  readonly #bytesMax: number;
  readonly #party: readonly [string];
  readonly #runId: string;
  readonly #putOff: PutOffRuns;
  #taken = 0;
  #base = 0;
  #total = nothing;
  /** Outputs of the current iteration of a loop, and of its last step. */
  #round = nothing;
  #last = nothing;
  #index: string | undefined;
  /** Outputs of the previous iterations: of each, only the last step's is carried. */
  #list = nothing;
  #items = 0;

  constructor(budget: Shares, bytesMax: number, { org_id: orgId, id }: RunOf, putOff: PutOffRuns) {
    this.#budget = budget;
    this.#reservedMax = bytesMax * organizationShareMax;
    this.#bytesMax = bytesMax * runShareMax;
    this.#party = [orgId];
    this.#runId = id;
    this.#putOff = putOff;
  }

  /**
   * Starts again with the values that the run was started with. Throws RunTooLargeError if they would take more than
   * the share of an organization: once any output is added, the run would wait forever.
   */
  reset(texts: readonly string[]): void {
    this.#base = texts.reduce((bytes, text) => bytes + estimateHeapBytes(text), 0);
    if (this.#base > this.#reservedMax) throw new RunTooLargeError(inputTooLarge);
    this.#total = this.#round = this.#last = this.#list = nothing;
    this.#index = undefined;
    this.#items = 0;
  }

  /** Enters a loop, whose items are held until it ends; throws RunTooLargeError if the run would carry too much. */
  enter(items: string): void {
    const bytes = estimateHeapBytes(items);
    if (!this.canCarry(bytes)) throw new RunTooLargeError(tooLargeTogether);
    this.#items = bytes;
  }

  /** Counts the output of a step; throws RunTooLargeError, without counting it, if the run would carry too much. */
  add(path: string, text: string): void {
    const size = { characters: text.length, bytes: estimateHeapBytes(text) };
    const index = /\[(\d+)\]\.[^.]*$/.exec(path)?.[1];
    if (index !== this.#index) this.#endRound(index);
    const total = plus(this.#total, size);
    if (total.characters > runCharactersMax || total.bytes > this.#bytesMax) throw new RunTooLargeError();
    if (!this.canCarry(size.bytes)) throw new RunTooLargeError(tooLargeTogether);
    this.#total = total;
    if (index === undefined) return;
    this.#round = plus(this.#round, size);
    this.#last = size;
  }

  /** Returns true if the output of a further step might be too much. */
  get isNearlyFull(): boolean {
    const { characters, bytes } = this.#total;
    return characters > runCharactersMax * largeShare || bytes > this.#bytesMax * largeShare;
  }

  /** Leaves a loop, after which the outputs of its iterations are no longer visible. */
  leaveLoop(): void {
    this.#endRound(undefined);
    this.#total = minus(this.#total, this.#list);
    this.#list = nothing;
    this.#items = 0;
  }

  /** Returns false if the run could never reserve memory for so much more: it would wait for ever. */
  canCarry(bytes: number): boolean {
    return this.#carried + bytes <= this.#reservedMax;
  }

  get #carried(): number {
    return this.#base + this.#items + this.#total.bytes;
  }

  /** Reserves memory for what the run carries; returns false if the organization's share has no room. */
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
   * Returns false if the run was postponed before and still would not fit, so that loading its body would be in vain.
   * The run must not hold any memory yet.
   */
  mayLoad(): boolean {
    const wanted = this.#putOff.get(this.#runId);
    return wanted === undefined || this.#budget.canTake(this.#party, wanted);
  }

  /** Returns false if the run was postponed before and there still is no room for it. */
  mayFit(): boolean {
    const wanted = this.#putOff.get(this.#runId);
    if (wanted !== undefined && wanted > this.#taken + this.#budget.roomFor(this.#party)) return false;
    this.#putOff.delete(this.#runId);
    return true;
  }

  #lacks(bytes: number): false {
    this.#putOff.set(this.#runId, bytes);
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
