import { Executor } from '@relata/db';
import {
  deleteUnit,
  deletionMeta,
  type DuplicateGroup,
  findDuplicates,
  IndexCatalog,
  mergeInSteps,
  mergeUnit,
  missingComparisonDetails,
  recordTables,
  restoreUnit,
} from '@relata/records';
import { readSettings, trashSettings } from '@relata/runtime';
import { uuid } from '@relata/schemas';
import { validationError } from '@relata/schemas/errors';
import { z } from 'zod';
import { command, type CommandGroup } from '../../command/command.ts';
import { flag, value, values, integer } from '../../command/parameter.ts';
import { hinted } from '../../output/operation.error.ts';
import { indented, valueText } from '../../output/result.format.ts';
import { org } from '../orgs/organization-option.ts';
import { eraseCommand } from './erase.ts';

/** Kinds of records that can be deleted, as the API and the types of events name them. */
export const deletedKinds = recordTables
  .filter(({ resource }) => resource.goesToTrash)
  .map(({ eventName }) => eventName);

const kind = value('KIND', z.enum(deletedKinds), `One of: ${deletedKinds.join(', ')}`);
const id = value('ID', uuid(), 'Id of the record');

const remove = command({
  name: 'delete',
  summary: 'Move a record to the trash, and clear the links of other records to it',
  arguments: { kind, id },
  options: { org, cascade: flag('Delete the records that cannot exist without it, too') },
  examples: [
    'records delete contact CONTACT_ID --org ORG_ID',
    'records delete account ACCOUNT_ID --org ORG_ID --cascade',
  ],
  run: async (context, { kind, id, org, cascade }) => {
    const table = recordTables.find(({ eventName }) => eventName === kind)!;
    const unit = deleteUnit(context.actorIn(org), table, { id, cascade });
    const deleted = await hinted(new Executor(context.database).runAlone(unit), {
      in_use: 'Use --cascade to delete them, too.',
      not_found: 'See: relata trash list',
    });
    const { action: _deleted, ...meta } = deletionMeta(deleted, readSettings(trashSettings).TRASH_DAYS);
    return { id, ...meta };
  },
});

const restore = command({
  name: 'restore',
  summary: 'Restore a record from the trash, with the records that were deleted with it',
  arguments: { id },
  options: { org },
  examples: ['records restore RECORD_ID --org ORG_ID'],
  run: async (context, { id, org }) => {
    const unit = restoreUnit(context.actorIn(org), { id });
    const { record: _record, ...restored } = await hinted(new Executor(context.database).runAlone(unit), {
      not_found: 'See: relata trash list',
    });
    return { id, ...restored };
  },
});

const mergeableKinds = recordTables
  .filter(({ resource }) => 'merge' in resource.operations)
  .map(({ eventName }) => eventName);

const losersMax = 10;

const merge = command({
  name: 'merge',
  summary: 'Merge records into another one: move their links to it, fill its empty fields, and move them to the trash',
  arguments: {
    kind: value('KIND', z.enum(mergeableKinds), `One of: ${mergeableKinds.join(', ')}`),
    winner: value('WINNER', uuid(), 'Id of the record that remains'),
    losers: values('LOSER...', z.array(uuid()).min(1).max(losersMax), 'Ids of the records to merge into the winner'),
  },
  options: { org, chunked: flag('Move any number of links, in steps; this cannot be undone') },
  examples: [
    'records merge contact WINNER_ID LOSER_ID --org ORG_ID',
    'records merge account WINNER_ID LOSER_ID --org ORG_ID --chunked',
  ],
  check: ({ winner, losers }) =>
    new Set([winner, ...losers]).size <= losers.length ? 'Each record must be given once.' : undefined,
  run: async (context, { kind, winner, losers, org, chunked: isChunked }) => {
    const table = recordTables.find(({ eventName }) => eventName === kind)!;
    const given = { winnerId: winner, loserIds: losers, set: {}, versions: new Map() };
    const actor = context.actorIn(org);
    const merging = isChunked
      ? mergeInSteps(context, actor, table, given)
      : new Executor(context.database).runAlone(mergeUnit(actor, table, given));
    const { record: _record, ...merged } = await hinted(
      merging,
      {
        too_many_linked: 'That cannot be undone.',
        ...(isChunked && { validation_error: `Links that earlier steps have moved stay with ${winner}.` }),
      },
      { winner_id: winner, ...Object.fromEntries(losers.map((id, at) => [`loser_ids.${at}`, id])) },
    );
    return { id: winner, ...merged };
  },
});

const comparedTables = recordTables.filter(({ comparisons }) => Object.keys(comparisons).length > 0);
const comparisons = new Map(comparedTables.map((table) => [table.eventName, Object.keys(table.comparisons)]));
const comparisonsText = [...comparisons].map(([kind, names]) => `${names.join(', ')} of ${kind}s`).join('; ');

const duplicates = command({
  name: 'duplicates',
  summary: 'Find groups of records with the same value',
  arguments: { kind: value('KIND', z.enum([...comparisons.keys()]), `One of: ${[...comparisons.keys()].join(', ')}`) },
  options: {
    org,
    by: value('VALUE', z.enum([...comparisons.values()].flat()), `Comparison: ${comparisonsText}`),
    limit: value('N', integer(1, 100).default(25), 'Maximum number of groups, up to 100 (default: 25)'),
    cursor: value('CURSOR', z.string().optional(), 'Continue with the next page'),
  },
  examples: [
    'records duplicates contact --by email --org ORG_ID',
    'records duplicates account --by domain --org ORG_ID',
  ],
  view: (groups: DuplicateGroup[]) => groups.map(groupText).join('\n') || 'There are no groups on this page.',
  check: ({ kind, by }) => {
    const names = comparisons.get(kind)!;
    return names.includes(by) ? undefined : `--by must be one of: ${names.join(', ')}.`;
  },
  run: async ({ database, afterwards }, { kind, org, by, limit, cursor }) => {
    const table = comparedTables.find(({ eventName }) => eventName === kind)!;
    const search = async () => {
      const catalog = new IndexCatalog(database, () => undefined);
      await catalog.read();
      const missing = missingComparisonDetails(table, by, catalog);
      if (missing.length > 0) throw validationError(missing);
      return findDuplicates(database, org, table, { by, limit, cursor });
    };
    const found = await hinted(search(), {}, { by: '--by', cursor: '--cursor' });
    if (found.has_more) afterwards(`There may be more groups. Next page: --cursor ${found.next_cursor}`);
    return found.data;
  },
});

/** Formats a group: a line with the value, and a line for each id. */
const groupText = ({ value, count, count_relation: relation, ids }: DuplicateGroup) =>
  `${valueText(value)}: ${relation ? 'at least ' : ''}${count} records\n${indented(ids.join('\n'))}`;

export const records: CommandGroup = {
  name: 'records',
  summary: 'Accounts, contacts, opportunities and activities',
  commands: [remove, restore, duplicates, merge, eraseCommand(deletedKinds)],
};
