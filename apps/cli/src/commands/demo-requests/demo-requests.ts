import { listAllDemoRequests, listDemoRequests } from '@relata/demo-requests';
import { command, type CommandGroup } from '../../command/command.ts';
import { demoRequestReference, resend } from './resend.ts';
import { demoRequestText, errorText } from './demo-requests.view.ts';
import { onlyOrganization } from '../orgs/organization-option.ts';
import { page, shownPage } from '../../command/page-options.ts';
import { flag, reference } from '../../command/parameter.ts';

const list = command({
  name: 'list',
  summary: 'List demo requests, the newest first',
  options: {
    org: onlyOrganization,
    unsent: flag('Only requests that are not known to be sent: pending, sending, in doubt, failed'),
    ...page,
  },
  examples: ['demo-requests list --unsent', 'demo-requests list --org ORG_ID --limit 100'],
  run: ({ database, ...context }, { org, ...filter }) =>
    shownPage(context, filter.limit, (limit) =>
      org ? listDemoRequests(database, org, { ...filter, limit }) : listAllDemoRequests(database, { ...filter, limit }),
    ),
  columns: [
    'id',
    'name',
    'work_email',
    'company',
    'status',
    'created_at',
    ['error', ({ last_error: error }) => error && errorText(error)],
  ],
});

const show = command({
  name: 'show',
  summary: 'Show a demo request: its fields, its message and whether it was sent',
  arguments: { request: reference('REQUEST', 'Id of the demo request', demoRequestReference) },
  examples: ['demo-requests show REQUEST_ID'],
  run: async (_context, { request }) => request,
  view: (found) => demoRequestText(found),
});

export const demoRequests: CommandGroup = {
  name: 'demo-requests',
  summary: 'Demo requests of visitors, and whether the team received them',
  commands: [list, show, resend],
};
