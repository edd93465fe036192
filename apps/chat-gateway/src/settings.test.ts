import { readSettings } from '@relata/runtime';
import { expect, test } from 'vitest';
import { settings } from './settings.ts';

const read = (environment: Record<string, string>) =>
  readSettings(settings, { DATABASE_URL: 'postgres://127.0.0.1/relata', ...environment });

test('by default, the settings select the built-in model, the limits of the contract, and no proxy', () => {
  expect(read({})).toMatchObject({
    CHAT_RATE_LIMIT: { points: 20, windowMs: 60_000 },
    DEMO_RATE_LIMIT: { points: 5, windowMs: 60_000 },
    TRUST_PROXY: 0,
    CHAT_DAILY_TOKENS: 2_000_000,
  });
  expect(read({ OPENAI_BASE_URL: '', OPENAI_API_KEY: '' })).not.toMatchObject({ OPENAI_BASE_URL: '' });
});

test('the value off removes a limit', () => {
  const given = read({
    CHAT_RATE_LIMIT: 'off',
    DEMO_RATE_LIMIT: 'off',
    CHAT_DAILY_TOKENS: 'off',
    CHAT_STREAMS_PER_IP: 'off',
    CHAT_DAILY_TOKENS_PER_IP: 'off',
  });
  expect(given).toMatchObject({
    CHAT_RATE_LIMIT: null,
    DEMO_RATE_LIMIT: null,
    CHAT_DAILY_TOKENS: null,
    CHAT_STREAMS_PER_IP: null,
    CHAT_DAILY_TOKENS_PER_IP: null,
  });
});

test.each([
  ['TRUST_PROXY', 'true'],
  ['TRUST_PROXY', '-1'],
  ['TRUST_PROXY', '1.5'],
  ['OPENAI_BASE_URL', 'api.example.com'],
  ['OPENAI_BASE_URL', 'ftp://api.example.com'],
  ['CHAT_MODEL', 'two words'],
  ['CHAT_RATE_LIMIT', '20'],
  ['CHAT_DAILY_TOKENS', '10'],
  ['CHAT_DAILY_TOKENS', '1e6'],
  ['CHAT_STREAMS_PER_IP', '0'],
  ['CHAT_DAILY_TOKENS_PER_IP', '0'],
  ['CHAT_DEADLINE_MS', '5'],
  ['KNOWLEDGE_BASE_URL', '/docs'],
  ['TEAM_CHANNEL_WEBHOOK_URL', 'slack'],
  ['TEAM_CHANNEL_KIND', 'irc'],
])('%s=%s is refused at start', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(name);
});
