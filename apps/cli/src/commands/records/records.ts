import { Executor } from '@relata/db';
import { deleteUnit, deletionMeta, mergeUnit, recordTables, restoreUnit } from '@relata/records';
import { readSettings, trashSettings } from '@relata/runtime';
import { uuid } from '@relata/schemas';
import { z } from 'zod';
import { command, type Noun } from '../../command/command.ts';
import { flag, value, values } from '../../command/parameter.ts';
import { hinted } from '../../output/operation.error.ts';
import { org } from '../orgs/organization-option.ts';

/** Kinds of records that can be deleted, as the API and the types of events name them. */
export const deletedKinds = recordTables
  .filter(({ resource }) => resource.goesToTrash)
  .map(({ eventName }) => eventName);

const kind = value('KIND', z.enum(deletedKinds), `One of: ${deletedKinds.join(', ')}`);
const id = value('ID', uuid(), 'Id of the record');

const remove = command({
  name: 'delete',
  summary: 'Move a record to the trash, and clear the links of others to it',
  arguments: { kind, id },
  options: { org, cascade: flag('Delete the records that cannot exist without it, too') },
  examples: [
    'records delete contact CONTACT_ID --org ORG_ID',
    'records delete account ACCOUNT_ID --org ORG_ID --cascade',
  ],
  run: async (context, { kind, id, org, cascade }) => {
    const table = recordTables.find(({ eventName }) => eventName === kind)!;
    const unit = deleteUnit(context.actorIn(org), table, { id, cascade });
    const deleted = await hinted(new Executor(context.database).alone(unit), {
      in_use: 'Use --cascade to delete them, too.',
      not_found: 'See: relata trash list',
    });
    const { action: _deleted, ...meta } = deletionMeta(deleted, readSettings(trashSettings).TRASH_DAYS);
    return { id, ...meta };
  },
});

const restore = command({
  name: 'restore',
  summary: 'Restore a record from the trash, with what its delete included',
  arguments: { id },
  options: { org },
  examples: ['records restore RECORD_ID --org ORG_ID'],
  run: async (context, { id, org }) => {
    const unit = restoreUnit(context.actorIn(org), { id });
    const { record: _record, ...restored } = await hinted(new Executor(context.database).alone(unit), {
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
  summary: 'Move links and missing values of records to another one, and the records to the trash',
  arguments: {
    kind: value('KIND', z.enum(mergeableKinds), `One of: ${mergeableKinds.join(', ')}`),
    winner: value('WINNER', uuid(), 'Id of the record that remains'),
    losers: values('LOSER...', z.array(uuid()).min(1).max(losersMax), 'Ids of the records to merge into it'),
  },
  options: { org },
  examples: ['records merge contact WINNER_ID LOSER_ID --org ORG_ID'],
  check: ({ winner, losers }) =>
    new Set([winner, ...losers]).size <= losers.length ? 'Each record must be given once.' : undefined,
  run: async (context, { kind, winner, losers, org }) => {
    const table = recordTables.find(({ eventName }) => eventName === kind)!;
    const given = { winnerId: winner, loserIds: losers, set: {}, versions: new Map() };
    const unit = mergeUnit(context.actorIn(org), table, given);
    const { record: _record, ...merged } = await new Executor(context.database).alone(unit);
    return { id: winner, ...merged };
  },
});

export const records: Noun = {
  name: 'records',
  summary: 'Accounts, contacts, opportunities and activities',
  commands: [remove, restore, merge],
};
