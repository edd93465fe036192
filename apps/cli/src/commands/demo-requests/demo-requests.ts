import { listAllDemoRequests, listDemoRequests } from '@relata/demo-requests';
import { uuid } from '@relata/schemas';
import { command, type Noun } from '../../command/command.ts';
import { requireDemoRequest } from './demo-request-reference.ts';
import { resend } from './resend.ts';
import { demoRequestsText, demoRequestText } from './demo-requests.view.ts';
import { onlyOrganization } from '../orgs/organization-option.ts';
import { page, shownPage } from '../../command/page-options.ts';
import { flag, value } from '../../command/parameter.ts';

const list = command({
  name: 'list',
  summary: 'List demo requests, the newest first',
  options: {
    org: onlyOrganization,
    unsent: flag('Only requests that are not known to be sent: pending, sending, in doubt, failed'),
    ...page,
  },
  examples: ['demo-requests list --unsent', 'demo-requests list --org ORG_ID --limit 100'],
  run: async (context, { org, ...filter }) => {
    const { database } = context;
    const found = await shownPage(context, filter.limit, (limit) =>
      org === undefined
        ? listAllDemoRequests(database, { ...filter, limit })
        : listDemoRequests(database, org, { ...filter, limit }),
    );
    return found.map((request) => ({ ...request }));
  },
  view: (found) => demoRequestsText(found),
});

const show = command({
  name: 'show',
  summary: 'Show a demo request: its fields, its message and whether it was sent',
  arguments: { request: value('REQUEST', uuid(), 'Id of the demo request') },
  examples: ['demo-requests show REQUEST_ID'],
  run: async ({ database }, { request }) => ({ ...(await requireDemoRequest(database, request)) }),
  view: (found) => demoRequestText(found),
});

export const demoRequests: Noun = {
  name: 'demo-requests',
  summary: 'Demo requests of visitors, and whether the team received them',
  commands: [list, show, resend],
};
