import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  countJournalCharacters,
  type ClaimedRun,
  type CompiledStep,
  journalCharactersMax,
  type JournalEntry,
  type JournalRow,
  loadJournal,
  loadJournalValues,
  type RunOutcome,
  writeJournal,
} from '@relata/workflows/execution';
import type { Db, UnitDb } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import { explainStepError, RunTooLargeError } from '../steps/step.error.ts';
import type { RunMemory } from './run-memory.ts';
import { StepFailure, type Visit } from './visit.ts';
import { visiblePaths } from './visible-paths.ts';

/** The fields of a journal entry that do not follow from its visit. Input and output are JSON. */
export type EntryOf = Omit<JournalEntry, 'path' | 'position' | 'use'>;

type TakeSlot = () => Promise<void>;

/** Maximum length of a step's output, as JSON. The output of a loop is the list of the outputs of its iterations. */
const outputCharactersMax = 300_000;
export const loopOutputCharactersMax = 1_000_000;

/** Maximum number of characters that are loaded at once. If the journal has more, its total size is checked first. */
const loadedCharactersMax = 200_000;

const largeCharacters = 65_536;

/** The journal of a run: entries in the database, and entries not yet written. */
export class RunJournal {
  /** The entries that this worker knows to be in the database, with the values that it has loaded. */
  written = new Map<string, JournalRow>();
  #unwritten: readonly JournalEntry[] = [];
  /** Position of the next new step. Steps are shown in the order in which they began. A rollback leaves a gap. */
  #nextPosition = 0;
  readonly #run: ClaimedRun;

  constructor(run: ClaimedRun) {
    this.#run = run;
  }

  /**
   * Loads the journal from the database, and drops unwritten entries. Returns false, without loading values, if there
   * is not enough memory for them. Takes a slot before it loads many values; the caller releases the slot.
   */
  async load(db: Db, steps: readonly CompiledStep[], memory: RunMemory, takeSlot: TakeSlot): Promise<boolean> {
    this.written = await loadJournal(db, this.#run.org_id, this.#run.id);
    this.#nextPosition = 1 + Math.max(-1, ...[...this.written.values()].map(({ position }) => position));
    this.#unwritten = [];
    const values = await this.#loadValues(db, visiblePaths(steps, this.written), memory, takeSlot);
    for (const { path, text } of values ?? []) {
      this.#adopt(path, text!, memory);
      // Large values take long to parse, so other runs get a turn after each value.
      if (text!.length > largeCharacters) await nextTurn();
    }
    return values !== undefined;
  }

  /** Drops unwritten entries. The caller then starts a new walk. */
  rollBack(): void {
    this.#unwritten = [];
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.length > 0;
  }

  /** Length of the unwritten entries as JSON, in characters. */
  get unwrittenCharacters(): number {
    return countJournalCharacters(this.#unwritten);
  }

  add({ path, step }: Visit, entry: EntryOf): void {
    const before = this.#unwritten.find((other) => other.path === path);
    const others = before ? this.#unwritten.filter((other) => other !== before) : this.#unwritten;
    const position = before?.position ?? this.written.get(path)?.position ?? this.#nextPosition++;
    this.#unwritten = [
      ...others,
      { ...before, ...bounded(entry, step.executor === 'loop'), path, position, use: step.use },
    ];
  }

  /** Writes the unwritten entries and the outcome of the run. Returns the time at which a waiting run is due. */
  async write(db: UnitDb, outcome: RunOutcome): Promise<string | null> {
    return writeJournal(db, this.#run, this.#unwritten, outcome);
  }

  /**
   * Records that the unwritten entries have been committed. Returns true if they are the first of the run. Their values
   * are not kept: the current walk holds the values that it needs, and a new walk loads them.
   */
  committed(): boolean {
    const isFirst = this.written.size === 0;
    for (const entry of this.#unwritten) {
      this.written.set(entry.path, rowOf(entry));
      if (entry.use === 'for_each' && entry.status !== 'running') this.#dropRounds(entry.path);
    }
    this.#unwritten = [];
    return isFirst;
  }

  /** Drops the outputs of the steps inside a loop that has ended. Later steps see only the output of the loop. */
  #dropRounds(path: string): void {
    for (const [inner, row] of this.written)
      if (inner.startsWith(`${path}[`)) this.written.set(inner, { ...row, output: undefined });
  }

  async #loadValues(db: Db, paths: readonly string[], memory: RunMemory, takeSlot: TakeSlot) {
    if (paths.length === 0) return [];
    const { org_id: orgId, id } = this.#run;
    const values = await loadJournalValues(db, orgId, id, paths, loadedCharactersMax);
    if (values.every(({ text }) => text !== null)) return values;
    const characters = values.reduce((sum, value) => sum + value.characters, 0);
    if (characters > journalCharactersMax || !memory.canCarry(characters))
      throw tooLarge(values.toSorted((a, b) => b.characters - a.characters)[0]!.path);
    if (!memory.hasRoomFor(characters)) return undefined;
    await takeSlot();
    return loadJournalValues(db, orgId, id, paths, journalCharactersMax);
  }

  #adopt(path: string, text: string, memory: RunMemory): void {
    const row = this.written.get(path)!;
    const isOutput = row.status === 'succeeded';
    this.written.set(path, { ...row, [isOutput ? 'output' : 'input']: JSON.parse(text) as unknown });
    try {
      if (isOutput) memory.add(path, text);
      else memory.enter(text);
    } catch (error) {
      throw error instanceof RunTooLargeError ? tooLarge(path) : error;
    }
  }
}

function tooLarge(path: string): StepFailure {
  return new StepFailure({ step: path, ...explainStepError(new RunTooLargeError()).error });
}

function rowOf({ path, position, status, attempts, failures, error, wakeAt }: JournalEntry): JournalRow {
  const unset = { failures: failures ?? null, error: error ?? null, wake_at: wakeAt ?? null };
  return { path, position, status, attempts, ...unset };
}

/**
 * Replaces an input that is too large. Most inputs are stored only for people who inspect the run. The run itself needs
 * the items of a loop, whose size is checked earlier.
 */
function bounded(entry: EntryOf, isLoop: boolean): EntryOf {
  if (entry.input === undefined || isLoop || entry.input.length <= outputCharactersMax) return entry;
  return { ...entry, input: '{"omitted":"It is too large to be kept."}' };
}

/** Throws an AppError if the output of a step is too large to store. */
export function requireStorable(text: string, charactersMax = outputCharactersMax): void {
  if (text.length > charactersMax)
    throw new AppError('payload_too_large', 'The output of the step is too large to store.');
}
