import type { CompiledStep, JournalRow } from '@relata/workflows/execution';

/**
 * Steps of which a run that goes on needs the value: the outputs that later steps can still see, and the items of a loop
 * that it is in. Of a loop that has ended its own output is enough, of a round that has its last step's.
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

function roundPaths(path: string, steps: readonly CompiledStep[], journal: ReadonlyMap<string, JournalRow>): string[] {
  const paths: string[] = [];
  for (let index = 0; journal.has(prefixOf(path, index) + steps[0]!.id); index++) {
    const isOver = journal.has(prefixOf(path, index + 1) + steps[0]!.id);
    paths.push(...visiblePaths(isOver ? steps.slice(-1) : steps, journal, prefixOf(path, index)));
  }
  return paths;
}

function prefixOf(path: string, index: number): string {
  return `${path}[${index}].`;
}
