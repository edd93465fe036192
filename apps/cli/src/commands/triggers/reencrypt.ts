import { listOrganizationsToReencryptSigning, reencryptSigningSecrets } from '@relata/workflows';
import { command } from '../../command/command.ts';
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
    const done: { org_id: string; id: string }[] = [];
    for (const orgId of org === undefined ? await listOrganizationsToReencryptSigning(database, keys) : [org])
      for (const id of await reencryptSigningSecrets(context, actorIn(orgId), keys)) done.push({ org_id: orgId, id });
    return done;
  },
});
