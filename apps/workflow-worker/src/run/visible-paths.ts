import type { CompiledStep, JournalRow } from '@relata/workflows/execution';

/**
 * Returns the paths of the steps whose values a continuing run needs: the outputs that later steps can still see, and
 * the items of the loops that the run is in. Of a finished loop, only the loop's output is needed; of a finished
 * iteration, only the output of the last step.
 */
export function visiblePaths(
  steps: readonly CompiledStep[],
  journal: ReadonlyMap<string, JournalRow>,
  prefix = '',
): string[] {
  return steps.flatMap(({ id, steps: inner }) => {
    const path = `${prefix}${id}`;
    const row = journal.get(path);
    if (row?.status === 'succeeded') return [path];
    const isOpen = row && row.status !== 'failed' && row.status !== 'skipped';
    return isOpen && inner.length > 0 ? [path, ...roundPaths(path, inner, journal)] : [];
  });
}

/**
 * Returns the needed paths within the iterations of a loop. Any step may be new in a finished iteration, since the run
 * may have moved to another version.
 */
function roundPaths(path: string, steps: readonly CompiledStep[], journal: ReadonlyMap<string, JournalRow>): string[] {
  const paths: string[] = [];
  for (let index = 0; ; index++) {
    const prefix = `${path}[${index}].`;
    if (!steps.some(({ id }) => journal.has(prefix + id))) return paths;
    const isOver = steps.every(({ id }) => isDone(journal.get(prefix + id)));
    paths.push(...visiblePaths(isOver ? steps.slice(-1) : steps, journal, prefix));
  }
}

function isDone(row: JournalRow | undefined): boolean {
  return row?.status === 'failed'
    ? row.error?.passed_over === true
    : row?.status === 'succeeded' || row?.status === 'skipped';
}
