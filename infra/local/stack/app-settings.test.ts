import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appNames } from '../../services.ts';
import { paths } from '../paths.ts';
import { inheritedEnvironment } from '../supervisor/app-environment.ts';
import { appSettings } from './app-settings.ts';

const baseUrl = 'http://127.0.0.1:8080';
const none = { baseUrl, channel: undefined, keys: {} };
const channel = { url: 'http://127.0.0.1:1/inbox/x', kind: 'slack' } as const;

test('the chat answers from the pages that the demo site shows, and links there', () => {
  const knowledge = { KNOWLEDGE_DIR: paths.knowledge, KNOWLEDGE_BASE_URL: 'http://127.0.0.1:8080/demo/docs/' };
  expect(appSettings({}, none)).toEqual(knowledge);
  expect(appSettings({ KNOWLEDGE_DIR: '' }, none)).toEqual(knowledge);
});

test("the user's own pages keep their own address", () => {
  expect(appSettings({ KNOWLEDGE_DIR: '/pages' }, none)).toEqual({ KNOWLEDGE_DIR: '/pages' });
});

test('a relative path is relative to the folder in which the stack is started', () => {
  expect(appSettings({ KNOWLEDGE_DIR: 'pages' }, none)).toEqual({ KNOWLEDGE_DIR: join(process.cwd(), 'pages') });
});

test('the inbox is configured as a Slack channel, even if the environment has another kind but no channel', () => {
  const environment = { KNOWLEDGE_DIR: '/pages', TEAM_CHANNEL_KIND: 'teams' };
  expect({ ...environment, ...appSettings(environment, { ...none, channel }) }).toEqual({
    KNOWLEDGE_DIR: '/pages',
    TEAM_CHANNEL_WEBHOOK_URL: channel.url,
    TEAM_CHANNEL_KIND: 'slack',
  });
});

test.for([
  ['SECRETS_KEY', ['workflow-worker']],
  ['SIGNING_KEYS', ['console', 'webhook-ingest']],
  ['NOTIFY_KEYS', ['console', 'workflow-worker']],
] as const)('%s reaches the applications that use it, and no other', ([name, apps]) => {
  const settings = appSettings({}, { ...none, keys: { [name]: 'a2V5' } });
  const given = appNames.filter((other) => name in inheritedEnvironment(other, settings, { hasOwnDatabase: false }));
  expect(given).toEqual(apps);
});
