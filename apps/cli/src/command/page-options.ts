import { uuid } from '@relata/schemas';
import type { CommandContext } from './command.ts';
import { value, integer } from './parameter.ts';

const limitMax = 1_000;

/** Options of lists with pages: the page size, and the id to continue from. */
export const page = {
  limit: value('N', integer(1, limitMax).default(25), 'Maximum number of rows, up to 1000 (default: 25)'),
  before: value('ID', uuid().optional(), 'Only rows older than this id: the last id of the previous page'),
};

/** Returns a page of a list. Requests one row more than `limit`, to find out whether there is a next page. */
export async function shownPage<Row extends { id: string }>(
  { afterwards }: Pick<CommandContext, 'afterwards'>,
  limit: number,
  list: (limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const found = await list(limit + 1);
  if (found.length <= limit) return found;
  const shown = found.slice(0, limit);
  afterwards(`There are more rows. Next page: --before ${shown.at(-1)!.id}`);
  return shown;
}

/** Prints how to continue a bulk command if older failures beyond its `--limit` are left. */
export function noteRest(
  { afterwards }: Pick<CommandContext, 'afterwards'>,
  { next, refused }: { next: string | undefined; refused: readonly unknown[] },
): void {
  if (next === undefined) return;
  const how = refused.length > 0 ? ' with a larger --limit: the refused ones are tried again first.' : '.';
  afterwards(`There may be more. Repeat the command${how}`);
}
