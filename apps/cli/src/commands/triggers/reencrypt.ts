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
    const keys = requireSigningKeys(context.databaseUrl);
    const list = () => listOrganizationsToReencryptSigning(context.database, keys);
    return eachOrganization(context, org, list, async (orgId) => {
      const ids = await reencryptSigningSecrets(context, context.actorIn(orgId), keys);
      return ids.map((id) => ({ org_id: orgId, id }));
    });
  },
});
