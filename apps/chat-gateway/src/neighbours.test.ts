import type { ServerResponse } from 'node:http';
import { createChannel } from '@relata/channel';
import { listDemoRequests } from '@relata/demo-requests';
import { startTeamChannel, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { asking, partsOf, startTestChat, textOfParts } from './chat-gateway.harness.ts';

test('a channel that never answers takes at most half of the slots for one organization; the others are answered', async () => {
  await using inbox = await startTeamChannel();
  const silent: ServerResponse[] = [];
  inbox.answers = [(response) => void silent.push(response)];
  const channel = createChannel({ url: inbox.url, kind: 'slack', timeoutMs: 60_000 });
  await using chat = await startTestChat({ channel, channelDeadlineMs: 60_000 });
  const wish = { name: 'Ada Lovelace', work_email: 'ada@robotics.example' };
  const request = ({ client }: typeof chat.tenant) => client('POST', '/v1/genie/demo-request', { body: wish });
  const flood: ReturnType<typeof request>[] = [];
  while (flood.length < 100) {
    flood.push(...Array.from({ length: 20 }, () => request(chat.tenant)));
    await until(() => expect(silent).toHaveLength(flood.length));
  }
  const refused = await request(chat.tenant);
  expect(refused).toMatchObject({ status: 503, error: { error: 'service_unavailable' } });
  expect(refused.headers.get('retry-after')).toBe('2');
  inbox.answers = [200];
  expect((await request(chat.other)).status).toBe(200);
  const { text } = await chat.other.client('POST', '/v1/genie/chat', { body: asking('What does the Team plan cost?') });
  expect(textOfParts(partsOf(text))).toContain('29 euros');
  for (const response of silent) response.destroy();
  expect((await Promise.all(flood)).map(({ status }) => status)).toEqual(Array(100).fill(502));
  const stored = await listDemoRequests(chat.db.database, chat.tenant.orgId, { unsent: true, limit: 200 });
  expect(stored.map(({ status }) => status)).toEqual(Array(100).fill('in_doubt'));
});
