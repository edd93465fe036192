import { createChannel } from '@relata/channel';
import { listDemoRequests } from '@relata/demo-requests';
import { startTeamChannel, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { asking, partsOf, startTestChat, textOfParts } from './chat-gateway.harness.ts';

test('a channel that never answers takes at most half of the slots for one organization; the others are answered', async () => {
  await using inbox = await startTeamChannel();
  let isAwake = false;
  inbox.answers = [(response) => void (isAwake && response.end())];
  const channel = createChannel({ url: inbox.url, kind: 'slack', timeoutMs: 5_000 });
  await using chat = await startTestChat({ channel });
  const wish = { name: 'Ada Lovelace', work_email: 'ada@robotics.example' };
  const request = ({ client }: typeof chat.tenant) => client('POST', '/v1/genie/demo-request', { body: wish });
  const flood = Array.from({ length: 130 }, () => request(chat.tenant));
  await until(() => expect(inbox.bodies).toHaveLength(100));
  const refused = await Promise.race(flood);
  expect(refused).toMatchObject({ status: 503, error: { error: 'service_unavailable' } });
  expect(refused.headers.get('retry-after')).toBe('2');
  isAwake = true;
  expect((await request(chat.other)).status).toBe(200);
  const { text } = await chat.other.client('POST', '/v1/genie/chat', { body: asking('What does the Team plan cost?') });
  expect(textOfParts(partsOf(text))).toContain('29 euros');
  const all = await Promise.all(flood);
  expect(all.filter(({ status }) => status === 503)).toHaveLength(30);
  const stored = await listDemoRequests(chat.db.database, chat.tenant.orgId, { unsent: true, limit: 200 });
  expect(stored.map(({ status }) => status)).toEqual(Array(100).fill('in_doubt'));
});
