import { listOrganizationsToReencryptSigning, reencryptSigningSecrets } from '@relata/workflows';
import { command } from '../../command/command.ts';
import { eachOrganization } from '../orgs/each-organization.ts';
import { anyOrganization } from '../orgs/organization-option.ts';
import { requireSigningKeys } from '../secrets/secret-keys.ts';

export const reencrypt = command({
  name: 'reencrypt',
  summary: "Encrypt senders' secrets with the first key of SIGNING_KEYS, so that the other keys can be removed",
  options: { org: anyOrganization },
  examples: ['triggers reencrypt'],
  columns: ['org_id', 'id'],
  run: async (context, { org }) => {
    const { database, actorIn } = context;
    const keys = requireSigningKeys(context.databaseUrl);
    const orgIds = org === undefined ? await listOrganizationsToReencryptSigning(database, keys) : [org];
    return eachOrganization(orgIds, context.say, async (orgId) => {
      const ids = await reencryptSigningSecrets(context, actorIn(orgId), keys);
      return ids.map((id) => ({ org_id: orgId, id }));
    });
  },
});
