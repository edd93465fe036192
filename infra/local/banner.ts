import type { StackFile, StackOrganization } from './stack-file.ts';

interface Sample {
  title: string;
  curl: (baseUrl: string, key: string) => string;
}

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
  return [
    '',
    `Relata runs at ${base}`,
    `  Documentation   ${base}/docs`,
    '  Logs            .local/logs/',
    '  Processes, keys .local/stack.json',
    '  Stop            Ctrl-C; the data stays in .local/ (npm start -- --fresh begins anew)',
    ...organizations.flatMap(describe),
    ...(key ? [] : ['', ...withoutKeys]),
    ...samples.flatMap(({ title, curl }) => ['', `# ${title}`, curl(base, key ?? 'YOUR_KEY')]),
    '',
  ].join('\n');
}

function describe({ id, name, keys }: StackOrganization): string[] {
  const rows = Object.entries(keys).map(([kind, key]) => `  ${kind.replace('_', '-').padEnd(15)} ${key}`);
  return ['', `Organization ${name} (${id}), its keys:`, ...rows];
}

const withoutKeys = [
  'The database already had its own data, so no demo organization was made. A key for yours:',
  '  npm run relata -- orgs list',
  '  npm run relata -- keys create --org ID --scope records:read --scope records:write --scope activities:write',
];
