import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  charactersOf,
  type ClaimedRun,
  type CompiledStep,
  type HeldRun,
  type JournalEntry,
  type JournalRow,
  loadJournal,
  loadJournalValues,
  type RunOutcome,
  writeJournal,
} from '@relata/workflows/execution';
import type { Db, UnitDb } from '@relata/db';
import type { RestingTurn } from '@relata/runtime';
import { explainStepError, RunTooLargeError } from '../steps/step.error.ts';
import type { RunMemory } from './run-memory.ts';
import { StepFailure, type Visit } from './visit.ts';
import { visiblePaths } from './visible-paths.ts';

/** What of an entry does not follow from the visit that it is about; input and output are JSON. */
export type EntryOf = Omit<JournalEntry, 'path' | 'position' | 'use'>;

/** The most that one step's output may take, as JSON; a loop's is the list of its rounds'. */
const outputCharactersMax = 300_000;
const loopOutputCharactersMax = 1_000_000;

/** So much is read at once; of more the size is asked for first. */
const loadedCharactersMax = 200_000;

const largeCharacters = 65_536;

/** More than a run within its limits can have: its outputs, and the items of a loop. */
const loadedCharactersMost = 4_000_000;

/** Steps that are done but not written yet, and those that are. */
export class RunJournal {
  /** What the database has, as far as is known; with the values that were loaded. */
  written = new Map<string, JournalRow>();
  #unwritten: readonly JournalEntry[] = [];
  /** Steps are shown in the order in which they were begun; what is rolled back leaves a gap. */
  #nextPosition = 0;
  readonly held: HeldRun;

  constructor({ org_id: orgId, id, epoch }: ClaimedRun) {
    this.held = { orgId, id, epoch };
  }

  /**
   * Reads what the database has; what is not written yet is dropped. Returns false, and has read no values, where there
   * is no room for them. Many of them are read in a turn, which is the caller's to end.
   */
  async load(db: Db, steps: readonly CompiledStep[], memory: RunMemory, turn: RestingTurn): Promise<boolean> {
    this.written = await loadJournal(db, this.held.orgId, this.held.id);
    this.#nextPosition = 1 + Math.max(-1, ...[...this.written.values()].map(({ position }) => position));
    this.#unwritten = [];
    const values = await this.#loadValues(db, visiblePaths(steps, this.written), memory, turn);
    for (const { path, text } of values ?? []) {
      this.#adopt(path, text!, memory);
      // Other runs have their turns between two values that take long to parse.
      if (text!.length > largeCharacters) await nextTurn();
    }
    return values !== undefined;
  }

  /** Drops what is not written: the walk begins anew. */
  rollBack(): void {
    this.#unwritten = [];
  }

  /** What is not written so far, as JSON. */
  get unwrittenCharacters(): number {
    return charactersOf(this.#unwritten);
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

  /** Writes what is not written, and what becomes of the run. Returns when a run that waits is due. */
  async write(db: UnitDb, outcome: RunOutcome): Promise<string | null> {
    return writeJournal(db, this.held, this.#unwritten, outcome);
  }

  /**
   * What was written is committed. Returns whether that is the first there is of the run. Values are not kept: the walk
   * has what it needs of them, and one that begins anew loads them.
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

  /** Of a loop that has ended only its own output is seen. */
  #dropRounds(path: string): void {
    for (const [inner, row] of this.written)
      if (inner.startsWith(`${path}[`)) this.written.set(inner, { ...row, output: undefined });
  }

  async #loadValues(db: Db, paths: readonly string[], memory: RunMemory, turn: RestingTurn) {
    if (paths.length === 0) return [];
    const values = await loadJournalValues(db, this.held, paths, loadedCharactersMax);
    if (values.every(({ text }) => text !== null)) return values;
    const characters = values.reduce((sum, value) => sum + value.characters, 0);
    if (characters > loadedCharactersMost)
      throw tooLarge(values.toSorted((a, b) => b.characters - a.characters)[0]!.path);
    if (!memory.hasRoomFor(characters)) return undefined;
    await turn.take();
    return loadJournalValues(db, this.held, paths, loadedCharactersMost);
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
  const row = { path, position, status, attempts, failures: failures ?? null, error: error ?? null };
  return { ...row, wake_at: wakeAt ?? null, started_at: '' };
}

/** An input is kept for the operator who looks at the run, the items of a loop for the run itself. */
function bounded({ input, ...entry }: EntryOf, isLoop: boolean): EntryOf {
  if (input === undefined) return entry;
  return { ...entry, input: isOutputTooLarge(input, isLoop) ? '{"omitted":"It is too large to be kept."}' : input };
}

/** Returns true if an output is too large to be kept. */
export function isOutputTooLarge(text: string, isLoop: boolean): boolean {
  return text.length > (isLoop ? loopOutputCharactersMax : outputCharactersMax);
}
