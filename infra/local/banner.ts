import type { StackFile, StackOrganization, StackTrigger } from './stack-file.ts';

interface Sample {
  title: string;
  /** Undefined where it cannot be tried. */
  curl: (baseUrl: string, key: string, trigger: StackTrigger | undefined) => string | undefined;
}

const lead = {
  event: 'form.submitted',
  user: { email: 'hedy@initech.example', name: 'Hedy' },
  form: { company: 'Initech' },
};

// One for each thing that the service can do; a new capability adds its line here.
const samples: readonly Sample[] = [
  { title: 'Whose key is this, and what may it do?', curl: (base, key) => get(`${base}/v1/self`, key) },
  { title: 'The first accounts', curl: (base, key) => get(`${base}/v1/records/accounts?limit=3`, key) },
  {
    title: 'A new account',
    curl: (base, key) =>
      post(`${base}/v1/records/accounts`, key, { account_name: 'Initech', domain: 'initech.example' }),
  },
  {
    title: 'A new activity',
    curl: (base, key) =>
      post(`${base}/v1/activities/custom`, key, { content: 'Met at the fair', direction: 'outbound' }),
  },
  {
    title: 'A form on your site is sent: the webhook starts the workflow inbound-lead',
    curl: (_base, _key, trigger) =>
      trigger && `curl -s '${trigger.url}' -H 'X-Webhook-Secret: ${trigger.secret}' -d '${JSON.stringify(lead)}'`,
  },
  {
    title: '... and the contact is there',
    curl: (base, key, trigger) => trigger && get(`${base}/v1/records/contacts?email=${lead.user.email}`, key),
  },
  { title: 'The description of the whole API', curl: (base) => `curl -s ${base}/openapi.json` },
];

function get(url: string, key: string): string {
  return `curl -s '${url}' -H 'X-Api-Key: ${key}'`;
}

function post(url: string, key: string, body: Record<string, string>): string {
  return `${get(url, key)} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

/** What a newcomer sees when everything is up: where it is, who may enter, and what to paste. */
export function banner({ base_url: base, organizations }: StackFile): string {
  const key = organizations[0]?.keys.full;
  const trigger = organizations[0]?.triggers?.[0];
  return [
    '',
    `Relata runs at ${base}`,
    `  Documentation   ${base}/docs`,
    '  Logs            .local/logs/',
    '  Processes, keys .local/stack.json',
    '  Stop            Ctrl-C; the data stays in .local/ (npm start -- --fresh begins anew)',
    ...organizations.flatMap(describe),
    ...(key ? [] : ['', ...withoutKeys]),
    ...samples.flatMap(({ title, curl }) => {
      const command = curl(base, key ?? 'YOUR_KEY', trigger);
      return command === undefined ? [] : ['', `# ${title}`, command];
    }),
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

const withoutKeys = [
  'The database already had its own data, so no demo organization was made. A key for yours:',
  '  npm run relata -- orgs list',
  '  npm run relata -- keys create --org ID --scope records:read --scope records:write --scope activities:write',
];
