import { expect, test } from 'vitest';
import { inheritedEnvironment } from './app-environment.ts';
import { appNames } from '../../services.ts';

const embedded = { hasOwnDatabase: false };

const foreign = {
  AWS_SECRET_ACCESS_KEY: 'hush',
  GITHUB_TOKEN: 'hush',
  NODE_AUTH_TOKEN: 'hush',
  npm_config__authToken: 'hush',
  SSH_AUTH_SOCK: '/tmp/agent',
  DATABASE_MIGRATION_URL: 'postgres://owner:hush@db/relata',
  PGPASSWORD: 'hush',
};

test.each(appNames)('%s gets neither keys of other services nor the password of the owner role', (name) => {
  expect(inheritedEnvironment(name, foreign, embedded)).toEqual({});
});

test.each(appNames)('%s gets the paths, locale and runtime options of the machine', (name) => {
  const machine = {
    PATH: '/bin',
    HOME: '/home/me',
    TZ: 'Europe/Zurich',
    LANG: 'de_CH.UTF-8',
    LC_ALL: 'C',
    NODE_OPTIONS: '--inspect',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    https_proxy: 'http://proxy:3128',
    NO_PROXY: 'localhost',
    UV_THREADPOOL_SIZE: '8',
  };
  expect(inheritedEnvironment(name, machine, embedded)).toEqual(machine);
});

test.each([
  ['records-api', ['API_RATE_LIMIT', 'LOG_LEVEL', 'DATABASE_POOL_MAX', 'NATS_PREFIX']],
  ['chat-gateway', ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CHAT_MODEL', 'CHAT_RATE_LIMIT', 'TEAM_CHANNEL_WEBHOOK_URL']],
  ['webhook-ingest', ['WEBHOOK_RATE_LIMIT']],
  ['workflow-worker', ['OUTBOUND_ALLOW', 'WORKER_CONCURRENCY', 'TEAM_CHANNEL_WEBHOOK_URL', 'TEAM_CHANNEL_KIND']],
] as const)('%s is given its own settings', (name, given) => {
  const environment = Object.fromEntries(given.map((setting) => [setting, 'x']));
  expect(inheritedEnvironment(name, { ...environment, ...foreign }, embedded)).toEqual(environment);
});

test('an empty variable is not passed on, so that it does not override a setting of the stack', () => {
  const environment = { STOP_TIMEOUT_MS: '', UV_THREADPOOL_SIZE: '', API_RATE_LIMIT: '5/1m' };
  expect(inheritedEnvironment('records-api', environment, embedded)).toEqual({ API_RATE_LIMIT: '5/1m' });
});

test('only the chat gets the key of the model', () => {
  const readers = appNames.filter(
    (name) => 'OPENAI_API_KEY' in inheritedEnvironment(name, { OPENAI_API_KEY: 'x' }, embedded),
  );
  expect(readers).toEqual(['chat-gateway']);
});

test("apps get libpq's variables only with a database of the user's own", () => {
  const given = { PGPASSWORD: 'word', PGSSLMODE: 'require' };
  expect(inheritedEnvironment('records-api', given, { hasOwnDatabase: true })).toEqual(given);
});
