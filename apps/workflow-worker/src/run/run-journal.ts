import {
  type ClaimedRun,
  cleanJson,
  type HeldRun,
  type JournalEntry,
  type JournalRow,
  loadJournal,
  type RunOutcome,
  writeJournal,
} from '@relata/workflows';
import type { Db } from '@relata/db';
import type { Visit } from './visit.ts';

/** What of an entry is not told by the visit that it is about. */
export type EntryOf = Omit<JournalEntry, 'path' | 'position' | 'use'>;

/** The most that one step's output may take, as JSON; a loop's is the list of its rounds'. */
const outputCharactersMax = 300_000;
const loopOutputCharactersMax = 1_000_000;

/** Steps that are done but not written yet, and those that are. */
export class RunJournal {
  /** What the database has, as far as is known. */
  written = new Map<string, JournalRow>();
  #unwritten: readonly JournalEntry[] = [];
  /** Steps are shown in the order in which they were begun; what is rolled back leaves a gap. */
  #nextPosition = 0;
  readonly held: HeldRun;

  constructor({ org_id: orgId, id, epoch }: ClaimedRun) {
    this.held = { orgId, id, epoch };
  }

  /** Reads what the database has; what is not written yet is forgotten. */
  async load(db: Db): Promise<void> {
    this.written = await loadJournal(db, this.held.orgId, this.held.id);
    this.#nextPosition = 1 + Math.max(-1, ...[...this.written.values()].map(({ position }) => position));
    this.#unwritten = [];
  }

  /** What is not written so far, to come back to should a transaction be rolled back. */
  mark(): readonly JournalEntry[] {
    return this.#unwritten;
  }

  rollBack(mark: readonly JournalEntry[] = []): void {
    this.#unwritten = [...mark];
  }

  add({ path, step }: Visit, entry: EntryOf): void {
    const before = this.#unwritten.find((other) => other.path === path);
    const others = before ? this.#unwritten.filter((other) => other !== before) : this.#unwritten;
    const position = before?.position ?? this.written.get(path)?.position ?? this.#nextPosition++;
    this.#unwritten = [...others, { ...before, ...bounded(entry, step.run === 'loop'), path, position, use: step.use }];
  }

  /** Writes what is not written, and what becomes of the run. Returns when a run that waits is due. */
  async write(db: Db, outcome: RunOutcome): Promise<string | null> {
    return writeJournal(db, this.held, this.#unwritten, outcome);
  }

  /** What was written is committed. Returns whether that is the first there is of the run. */
  committed(): boolean {
    const isFirst = this.written.size === 0;
    for (const entry of this.#unwritten) this.written.set(entry.path, rowOf(entry));
    this.#unwritten = [];
    return isFirst;
  }
}

function rowOf({ failures, wakeInMs: _in, wakeAt, input, output, error, ...entry }: JournalEntry): JournalRow {
  const row = { ...entry, failures: failures ?? null, input, output, error: error ?? null };
  return { ...row, wake_at: wakeAt ?? null, started_at: '' };
}

/** What came from outside may hold what PostgreSQL cannot; what is too large would be carried by every later step. */
function bounded({ input, output, ...entry }: EntryOf, isLoop: boolean): EntryOf {
  const max = isLoop ? loopOutputCharactersMax : outputCharactersMax;
  return {
    ...entry,
    ...(input !== undefined && {
      input: fits(input, max) ? cleanJson(input) : { omitted: 'It is too large to be kept.' },
    }),
    ...(output !== undefined && { output: cleanJson(output) }),
  };
}

function fits(value: unknown, max: number): boolean {
  return (JSON.stringify(value) ?? '').length <= max;
}

/** Whether an output may be kept. */
export function isOutputTooLarge(output: unknown, isLoop: boolean): boolean {
  return !fits(output, isLoop ? loopOutputCharactersMax : outputCharactersMax);
}
