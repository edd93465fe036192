import { createUser, users as table } from '@relata/records';
import { emailAddress, shortText, nameText } from '@relata/schemas';
import { command, type CommandGroup } from '../../command/command.ts';
import { org } from '../orgs/organization-option.ts';
import { value } from '../../command/parameter.ts';
import { listAll } from '../../command/record-list.ts';

const create = command({
  name: 'create',
  summary: 'Add a CRM user to an organization; to let somebody sign in: relata people invite',
  options: {
    org,
    email: value('EMAIL', emailAddress(), 'Email address'),
    first_name: value('NAME', nameText(), 'First name'),
    last_name: value('NAME', nameText(), 'Last name'),
    role: value('ROLE', shortText().default('member'), 'Role in the organization'),
    status: value('STATUS', shortText().default('active'), 'Status of the membership'),
    job_function: value('TEXT', shortText().optional(), 'Job function, such as sales'),
    job_level: value('TEXT', shortText().optional(), 'Seniority, such as director'),
    profile_photo: value('ID', shortText().optional(), 'Identifier of a photo asset'),
  },
  examples: ['users create --org ORG_ID --email ada@example.com --first-name Ada --last-name Lovelace'],
  run: (context, { org, ...given }) => createUser(context, context.actorIn(org), given),
});

const list = command({
  name: 'list',
  summary: 'List the CRM users of an organization',
  options: { org },
  examples: ['users list --org ORG_ID'],
  columns: ['id', 'email', 'first_name', 'last_name', 'role', 'status', 'created_at'],
  run: ({ database }, { org }) => listAll(database, org, table),
});

export const users: CommandGroup = {
  name: 'users',
  summary: 'CRM users, who can own records',
  commands: [create, list],
};
