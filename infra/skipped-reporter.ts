import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Tests that were skipped for one reason. */
export interface SkippedGroup {
  reason: string;
  count: number;
  /** Files with such tests, relative to the checkout. */
  files: readonly string[];
}

const filesShown = 3;

/** Prints a table of the skipped tests by reason at the end of a run of all tests. */
export default class SkippedReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // Tests that `-t` leaves out are skipped, too.
    if (this.#vitest?.config.testNamePattern) return;
    const table = skippedTable(groupSkipped(modules));
    if (table !== undefined) this.#vitest?.logger.log(table);
  }
}

function groupSkipped(modules: readonly TestModule[]): SkippedGroup[] {
  const skipped = modules.flatMap((module) =>
    Array.from(module.children.allTests('skipped'), (test) => ({
      file: module.relativeModuleId,
      reason: reasonOf(test),
    })),
  );
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, tests]) => ({
    reason,
    count: tests.length,
    files: [...new Set(tests.map(({ file }) => file))],
  }));
}

type SkippedTest = ReturnType<TestModule['children']['allTests']> extends Iterable<infer Test> ? Test : never;

function reasonOf(test: SkippedTest): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  return test.module.ok() ? 'says no reason' : 'something failed before it in its file';
}

/** Returns the table as a string, with the most frequent reason first. Returns undefined if no test was skipped. */
export function skippedTable(groups: readonly SkippedGroup[]): string | undefined {
  if (groups.length === 0) return undefined;
  const rows = groups
    .toSorted((a, b) => b.count - a.count)
    .map(({ reason, count, files }) => [String(count), reason, someOf(files)]);
  const all = [['Skipped', 'Reason', 'In'], ...rows];
  const [counts, reasons] = [0, 1].map((at) => Math.max(...all.map((row) => row[at]!.length)));
  return `\n${all.map(([count, reason, files]) => ` ${count!.padStart(counts!)}  ${reason!.padEnd(reasons!)}  ${files}`).join('\n')}\n`;
}

function someOf(files: readonly string[]): string {
  const left = files.length - filesShown;
  return files.slice(0, filesShown).join(', ') + (left > 0 ? ` and ${left} more` : '');
}
