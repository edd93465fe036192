import { createOrganization, listOrganizations } from '@relata/auth';
import { nameText } from '@relata/schemas';
import { command, type Noun } from '../../command/command.ts';
import { value } from '../../command/parameter.ts';
import type { Row } from '../../output/result.format.ts';

const create = command({
  name: 'create',
  summary: 'Create an organization',
  arguments: { name: value('NAME', nameText(), 'Name') },
  examples: ['orgs create Acme'],
  run: async ({ database }, { name }): Promise<Row> => ({ ...(await createOrganization(database, name)) }),
});

const list = command({
  name: 'list',
  summary: 'List the organizations',
  examples: ['orgs list --json'],
  columns: ['id', 'name', 'created_at'],
  run: async ({ database }): Promise<Row[]> => (await listOrganizations(database)).map((row) => ({ ...row })),
});

export const orgs: Noun = {
  name: 'orgs',
  summary: 'Organizations (tenants)',
  commands: [create, list],
};
