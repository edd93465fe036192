import { expect, test } from 'vitest';
import { appSettings } from './app-settings.ts';
import { paths } from '../paths.ts';

const baseUrl = 'http://127.0.0.1:8080';
const channel = { url: 'http://127.0.0.1:1/inbox/x', kind: 'slack' } as const;

test('the chat answers from the pages that the demo site shows, and links there', () => {
  const knowledge = { KNOWLEDGE_DIR: paths.knowledge, KNOWLEDGE_BASE_URL: 'http://127.0.0.1:8080/demo/docs/' };
  expect(appSettings({}, { baseUrl, channel: undefined })).toEqual(knowledge);
  expect(appSettings({ KNOWLEDGE_DIR: '' }, { baseUrl, channel: undefined })).toEqual(knowledge);
});

test("the user's own pages keep their own address", () => {
  expect(appSettings({ KNOWLEDGE_DIR: '/pages' }, { baseUrl, channel: undefined })).toEqual({});
});

test('the inbox is told as a Slack channel, whatever kind was set without a channel', () => {
  const environment = { KNOWLEDGE_DIR: '/pages', TEAM_CHANNEL_KIND: 'teams' };
  expect({ ...environment, ...appSettings(environment, { baseUrl, channel }) }).toEqual({
    KNOWLEDGE_DIR: '/pages',
    TEAM_CHANNEL_WEBHOOK_URL: channel.url,
    TEAM_CHANNEL_KIND: 'slack',
  });
});
