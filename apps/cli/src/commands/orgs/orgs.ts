import { createOrganization, listOrganizations, renameOrganization } from '@relata/auth';
import { nameText } from '@relata/schemas';
import { command, type CommandGroup } from '../../command/command.ts';
import { value } from '../../command/parameter.ts';
import { org } from './organization-option.ts';

const create = command({
  name: 'create',
  summary: 'Create an organization',
  arguments: { name: value('NAME', nameText(), 'Name') },
  examples: ['orgs create Acme'],
  run: ({ database }, { name }) => createOrganization(database, name),
});

const list = command({
  name: 'list',
  summary: 'List the organizations',
  examples: ['orgs list --json'],
  columns: ['id', 'name', 'created_at'],
  run: ({ database }) => listOrganizations(database),
});

const rename = command({
  name: 'rename',
  summary: 'Rename an organization',
  arguments: { name: value('NAME', nameText(), 'The new name') },
  options: { org },
  examples: ['orgs rename "Acme Robotics" --org Acme'],
  run: (context, { name, org: orgId }) => renameOrganization(context, context.actorIn(orgId), { name }),
});

export const orgs: CommandGroup = {
  name: 'orgs',
  summary: 'Organizations (tenants)',
  commands: [create, list, rename],
};
