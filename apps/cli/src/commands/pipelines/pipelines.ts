import { createPipeline, pipelines as table, renamePipeline } from '@relata/records';
import { nameText, uuid } from '@relata/schemas';
import { command, type CommandGroup } from '../../command/command.ts';
import { hinted } from '../../output/operation.error.ts';
import { org } from '../orgs/organization-option.ts';
import { flag, value } from '../../command/parameter.ts';
import { listAll } from '../../command/record-list.ts';

const create = command({
  name: 'create',
  summary: 'Add a pipeline to an organization',
  options: {
    org,
    name: value('NAME', nameText(), 'Name'),
    default: flag('Make it the default pipeline, instead of the current one'),
    inactive: flag('Create it inactive'),
  },
  examples: ['pipelines create --org ORG_ID --name "New business" --default'],
  run: (context, { org, name, default: isDefault, inactive }) =>
    createPipeline(context, context.actorIn(org), { name, is_default: isDefault, active: !inactive }),
});

const rename = command({
  name: 'rename',
  summary: 'Rename a pipeline, and update any number of opportunities; if interrupted, run the command again',
  arguments: { id: value('ID', uuid(), 'Id of the pipeline') },
  options: { org, name: value('NAME', nameText(), 'New name') },
  examples: ['pipelines rename PIPELINE_ID --org ORG_ID --name "New business"'],
  run: (context, { org, id, name }) =>
    hinted(renamePipeline(context, context.actorIn(org), { id, name }), { not_found: 'See: relata pipelines list' }),
});

const list = command({
  name: 'list',
  summary: 'List the pipelines of an organization',
  options: { org },
  examples: ['pipelines list --org ORG_ID'],
  columns: ['id', 'name', 'active', 'is_default', 'created_at'],
  run: ({ database }, { org }) => listAll(database, org, table),
});

export const pipelines: CommandGroup = {
  name: 'pipelines',
  summary: 'Sales pipelines',
  commands: [create, rename, list],
};
