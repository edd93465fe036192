import { clearDemo, listDemoOrganizations } from '@relata/demo';
import { command, type CommandGroup } from '../../command/command.ts';
import { anyOrganization } from '../orgs/organization-option.ts';
import { eachOrganization } from '../orgs/each-organization.ts';

const clear = command({
  name: 'clear',
  summary:
    'Remove the deliveries, runs and records that the first npm start created; records that people created are ' +
    'kept',
  options: { org: anyOrganization },
  examples: ['demo clear', 'demo clear --org Acme'],
  run: (context, { org }) =>
    eachOrganization(
      context,
      org,
      () => listDemoOrganizations(context.database),
      async (orgId) => [{ org_id: orgId, ...(await clearDemo(context, orgId)) }],
    ),
  columns: ['org_id', 'deliveries', 'runs', 'records', 'demo_requests', 'triggers', 'workflows'],
  note: (cleared) =>
    cleared.length === 0 ? 'There is no demo data.' : 'Removed. Records that people have changed stay.',
});

export const demo: CommandGroup = {
  name: 'demo',
  summary: 'Demo data that npm start created',
  commands: [clear],
};
