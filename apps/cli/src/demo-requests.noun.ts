import { listAllDemoRequests, listDemoRequests } from '@relata/demo-requests';
import { uuid } from '@relata/schemas';
import { command, type Noun } from './command.ts';
import { requireDemoRequest } from './demo-request.reference.ts';
import { resend } from './demo-requests.resend.ts';
import { demoRequestsText, demoRequestText } from './demo-requests.view.ts';
import { ofOrganization, requireOrganization } from './organization.option.ts';
import { page } from './page.options.ts';
import { flag, value } from './parameter.ts';

const list = command({
  name: 'list',
  summary: 'List demo requests, the newest first',
  options: {
    org: { ...ofOrganization, description: 'Only those of this organization' },
    unsent: flag('Only those that the team may not know of: all but the sent ones'),
    ...page,
  },
  examples: ['demo-requests list --unsent', 'demo-requests list --org ORG_ID --limit 100'],
  run: async ({ database }, { org, ...filter }) => {
    if (org !== undefined) await requireOrganization(database, org);
    const found = org === undefined ? listAllDemoRequests(database, filter) : listDemoRequests(database, org, filter);
    return (await found).map((request) => ({ ...request }));
  },
  view: (found) => demoRequestsText(found),
});

const show = command({
  name: 'show',
  summary: 'Show a demo request: all that the visitor wrote, and whether the team was told',
  arguments: { request: value('REQUEST', uuid(), 'Id of the demo request') },
  examples: ['demo-requests show REQUEST_ID'],
  run: async ({ database }, { request }) => ({ ...(await requireDemoRequest(database, request)) }),
  view: (found) => demoRequestText(found),
});

export const demoRequests: Noun = {
  name: 'demo-requests',
  summary: 'What visitors asked for in the chat, and whether the team was told',
  commands: [list, show, resend],
};
