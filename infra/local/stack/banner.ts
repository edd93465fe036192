import { sitePath } from '../gateway/routes.ts';
import type { StackFile, StackOrganization, StackTrigger } from './stack-file.ts';

const lead = {
  event: 'form.submitted',
  user: { email: 'hedy@initech.example', name: 'Hedy Lamarr' },
  form: { company: 'Initech' },
};

const question = { messages: [{ role: 'user', content: 'What does the Team plan cost?' }] };

const demoRequest = { name: 'Ada Lovelace', work_email: 'ada@robotics.example', message: 'We sell robot arms.' };

interface Access {
  base: string;
  key: string;
  chatKey: string;
  trigger: StackTrigger | undefined;
}

/** Returns titles and commands, without those that need a trigger if there is none. Each capability has a sample here. */
function samplesOf({ base, key, chatKey, trigger }: Access): string[][] {
  const records = `${base}/v1/records`;
  const activity = { content: 'Met at the fair', direction: 'outbound' };
  return [
    ['Whose key is this, and what may it do?', get(`${base}/v1/self`, key)],
    ['The first accounts', get(`${records}/accounts?limit=3`, key)],
    ['A new account', post(`${records}/accounts`, key, { account_name: 'Initech', domain: 'initech.example' })],
    ['A new activity', post(`${base}/v1/activities/custom`, key, activity)],
    ...(trigger
      ? [
          [
            'A form on your site is submitted: the webhook starts the workflow inbound-lead',
            `curl -s '${trigger.url}' -H 'X-Webhook-Secret: ${trigger.secret}' -d '${JSON.stringify(lead)}'`,
          ],
          ['... and the contact is there', get(`${records}/contacts?email=${lead.user.email}`, key)],
        ]
      : []),
    [
      'A visitor asks the chat; the answer comes word by word, with its sources',
      post(`${base}/v1/genie/chat`, chatKey, question, '-sN'),
    ],
    [
      'A visitor asks for a demo, and the team channel gets a message',
      post(`${base}/v1/genie/demo-request`, chatKey, demoRequest),
    ],
    ['The description of the whole API', `curl -s ${base}/openapi.json`],
  ];
}

function get(url: string, key: string, flags = '-s'): string {
  return `curl ${flags} '${url}' -H 'X-Api-Key: ${key}'`;
}

function post(url: string, key: string, body: object, flags?: string): string {
  return `${get(url, key, flags)} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

/** Returns the text to print once everything is ready: addresses, keys, and samples to paste. */
export function banner({ base_url: base, organizations, channel }: StackFile, consoleLink?: string): string {
  const { keys, triggers } = organizations[0] ?? {};
  const key = keys?.full ?? 'YOUR_KEY';
  const samples = samplesOf({ base, key, chatKey: keys?.chat ?? key, trigger: triggers?.[0] });
  return [
    '',
    `Relata runs at ${base}`,
    `  Demo site       ${base}${sitePath}, with the chat in its corner`,
    `  Console         ${base}${consoleLink ? `${consoleLink}  (once, 15 minutes; each start prints a new one)` : withoutLink}`,
    `  Documentation   ${base}/docs`,
    `  Team channel    ${channel ? 'its messages appear below (TEAM_CHANNEL_WEBHOOK_URL sets another channel)' : 'yours'}`,
    '  Logs            .local/logs/',
    '  Processes, keys .local/stack.json',
    '  Stop            Ctrl-C; the data stays in .local/ (npm start -- --fresh deletes it and starts empty)',
    ...organizations.flatMap(describe),
    ...(keys ? [] : ['', ...withoutKeys]),
    ...samples.flatMap(([title, command]) => ['', `# ${title}`, command!]),
    '',
  ].join('\n');
}

function describe({ id, name, keys, triggers = [] }: StackOrganization): string[] {
  const rows = Object.entries(keys).map(([kind, key]) => `  ${kind.replace('_', '-').padEnd(15)} ${key}`);
  const urls = triggers.map(({ name: called, url, mode }) => `  ${called} (${mode} secret)\n${' '.repeat(18)}${url}`);
  return [
    '',
    `Organization ${name} (${id}), its keys:`,
    ...rows,
    ...(urls.length > 0 ? ['Its webhooks:', ...urls] : []),
  ];
}

const withoutLink = '/console; the first link to it: npx relata people link --operator';

const withoutKeys = [
  'The database already had its own data, so no demo organization was created. Create a key for yours:',
  '  npx relata orgs list',
  '  npx relata keys create --org ID --scope records:read --scope records:write --scope activities:write --scope chat',
];
