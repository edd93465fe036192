import { findTrashEntry, listTrash, recordName, shownEntry } from '@relata/records';
import { readSettings, trashSettings } from '@relata/runtime';
import { type TrashEntry, uuid } from '@relata/schemas';
import { orNotFound } from '@relata/schemas/errors';
import { z } from 'zod';
import { command, type CommandGroup } from '../../command/command.ts';
import { value, integer } from '../../command/parameter.ts';
import { org } from '../orgs/organization-option.ts';
import { deletedKinds } from '../records/records.ts';

const trashDays = () => readSettings(trashSettings).TRASH_DAYS;

/** Adds the name of a deleted record to its entry. */
function named({ id, resource, ...rest }: TrashEntry) {
  return { id, resource, name: recordName(rest.record), ...rest };
}

const list = command({
  name: 'list',
  summary: 'List deleted records, the newest deletion first',
  options: {
    org,
    resource: value('KIND', z.enum(deletedKinds).optional(), 'Only records of this kind'),
    deletion: value('ID', uuid().optional(), 'Only records with this deletion id'),
    limit: value('N', integer(1, 1_000).default(25), 'Maximum number of rows, up to 1000 (default: 25)'),
    cursor: value('CURSOR', z.string().optional(), 'Continue with the next page'),
  },
  examples: ['trash list --org ORG_ID', 'trash list --org ORG_ID --resource contact'],
  columns: ['id', 'resource', 'name', 'deleted_at', 'purge_at', 'deletion_id', 'merged_into'],
  run: async ({ database, afterwards }, { org, resource, deletion, limit, cursor }) => {
    const query = { limit, cursor, resource: resource as never, deletion_id: deletion };
    const page = await listTrash(database, org, query, trashDays());
    if (page.next_cursor !== undefined) afterwards(`There are more rows. Next page: --cursor ${page.next_cursor}`);
    return page.data.map(named);
  },
});

const show = command({
  name: 'show',
  summary: 'Show a deleted record as it was',
  arguments: { id: value('ID', uuid(), 'Id of the record') },
  options: { org },
  examples: ['trash show RECORD_ID --org ORG_ID'],
  run: async ({ database }, { id, org }) => {
    const message = `The trash has no record ${id}. See: relata trash list`;
    return named(shownEntry(orNotFound(await findTrashEntry(database, org, id), message), trashDays()));
  },
});

export const trash: CommandGroup = { name: 'trash', summary: 'Deleted records', commands: [list, show] };
