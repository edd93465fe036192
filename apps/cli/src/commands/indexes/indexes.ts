import {
  buildIndexes,
  type BuiltIndexes,
  dropIndex,
  type IndexStatus,
  listIndexes,
  readIndexStates,
} from '@relata/records';
import { z } from 'zod';
import { command, type CommandGroup } from '../../command/command.ts';
import { explainRights, ownerSettings } from '../../command/owner-database.ts';
import { value } from '../../command/parameter.ts';
import { CliError } from '../../output/cli.error.ts';

const indexName = z.enum(listIndexes.map(({ name }) => name));

/** Returns the database URL with the role that owns the tables. */
const ownerUrl = (databaseUrl: string) => ownerSettings().migrationUrl ?? databaseUrl;

/** Returns a sentence about indexes that could not be built; undefined if all were built. */
export function failureText({ failed }: BuiltIndexes): string | undefined {
  if (failed.length === 0) return undefined;
  const reasons = failed.map(({ name, error }) => `${name} (${error.message})`);
  return `Could not build ${reasons.join(', ')}. Try again with: relata indexes create`;
}

const create = command({
  name: 'create',
  summary: 'Build an index of lists, or without NAME all that relata migrate builds, while the apps run',
  arguments: { name: value('NAME', indexName.optional(), 'Name, see: relata indexes list') },
  examples: ['indexes create', 'indexes create accounts.updated_at'],
  run: async ({ databaseUrl, say }, { name }) => {
    const names = name === undefined ? {} : { names: [name] };
    const result = await buildIndexes({ url: ownerUrl(databaseUrl), ...names, log: say });
    const denied = result.failed.find(({ error }) => (error as { code?: string }).code === '42501');
    if (denied) explainRights('create indexes')(denied.error);
    const failure = failureText(result);
    if (failure !== undefined) throw new CliError('program_failed', failure);
    return { built: result.built };
  },
  view: ({ built }) => (built.length > 0 ? `Built ${built.join(', ')}.` : 'There was nothing to build.'),
});

const list = command({
  name: 'list',
  summary: 'List the indexes of lists, with their state and size',
  examples: ['indexes list', 'indexes list --json'],
  run: async ({ database }) =>
    (await readIndexStates(database)).map(({ name, state, size }) => ({ name, state, size })),
  columns: ['name', 'state', ['size', ({ size }: Omit<IndexStatus, 'isDefault'>) => sizeText(size)]],
});

const drop = command({
  name: 'drop',
  summary: 'Drop an index of lists while the apps run. Lists then refuse the sort and filters that need it',
  arguments: { name: value('NAME', indexName, 'Name, see: relata indexes list') },
  examples: ['indexes drop accounts.updated_at'],
  run: async ({ databaseUrl }, { name }) => {
    await dropIndex({ url: ownerUrl(databaseUrl), name }).catch(explainRights('drop indexes'));
    return { dropped: name };
  },
  note: ({ dropped }) =>
    listIndexes.some(({ name, isDefault }) => name === dropped && isDefault)
      ? 'The next relata migrate builds it again, unless it is called with --no-indexes.'
      : undefined,
});

function sizeText(bytes: number): string {
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1_024)} KB` : `${Math.ceil(bytes / 1_048_576)} MB`;
}

export const indexes: CommandGroup = {
  name: 'indexes',
  summary: 'Indexes for sorting, filtering and searching lists',
  commands: [create, list, drop],
};
