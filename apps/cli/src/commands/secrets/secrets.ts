import { listOrganizationsToReencrypt, listSecrets, reencryptSecrets, removeSecret, setSecret } from '@relata/secrets';
import { z } from 'zod';
import { command, type CommandGroup } from '../../command/command.ts';
import { eachOrganization } from '../orgs/each-organization.ts';
import { anyOrganization, org } from '../orgs/organization-option.ts';
import { value } from '../../command/parameter.ts';
import { requireKeys } from './secret-keys.ts';
import { readSecretValue } from './secret-value.ts';

const name = value('NAME', z.string().min(1), 'Name of the secret; expressions use it as secrets.NAME');

const set = command({
  name: 'set',
  summary: 'Set a secret; its value is read from standard input',
  arguments: { name },
  options: {
    org,
    value_file: value('FILE', z.string().min(1).optional(), 'File to read the value from; - for standard input'),
  },
  examples: ['secrets set CRM_TOKEN --org ORG_ID', 'secrets set CRM_TOKEN --org ORG_ID --value-file token.txt'],
  run: async (context, { org, name, value_file: file }) => {
    const keys = requireKeys('SECRETS_KEY', context.databaseUrl);
    const value = await readSecretValue(file);
    return setSecret(context, context.actorIn(org), { name, value }, keys);
  },
  note: ({ name }) => `Workflows use it as \${{ secrets.${name} }}. Its value cannot be shown again.`,
});

const list = command({
  name: 'list',
  summary: 'List the secrets of an organization, without their values',
  options: { org },
  examples: ['secrets list --org ORG_ID'],
  columns: ['name', 'created_at', 'updated_at', 'key_id'],
  run: ({ database }, { org }) => listSecrets(database, org),
});

const remove = command({
  name: 'remove',
  summary: 'Remove a secret; steps that use it will fail',
  arguments: { name },
  options: { org },
  examples: ['secrets remove CRM_TOKEN --org ORG_ID'],
  run: (context, { org, name }) => removeSecret(context, context.actorIn(org), name),
});

const reencrypt = command({
  name: 'reencrypt',
  summary: 'Encrypt all secrets with the first key of SECRETS_KEY, so that the other keys can be removed',
  options: { org: anyOrganization },
  examples: ['secrets reencrypt'],
  columns: ['org_id', 'name'],
  run: async (context, { org }) => {
    const keys = requireKeys('SECRETS_KEY', context.databaseUrl);
    const list = () => listOrganizationsToReencrypt(context.database, keys);
    return eachOrganization(context, org, list, async (orgId) => {
      const names = await reencryptSecrets(context, context.actorIn(orgId), keys);
      return names.map((reencrypted) => ({ org_id: orgId, name: reencrypted }));
    });
  },
});

export const secrets: CommandGroup = {
  name: 'secrets',
  summary: 'Credentials that workflows send to other systems',
  commands: [set, list, remove, reencrypt],
};
