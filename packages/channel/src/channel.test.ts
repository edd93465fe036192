import { createServer, type RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { createServer as createTcpServer } from 'node:net';
import { readSettings } from '@relata/runtime';
import { listen, until } from '@relata/testing';
import { expect, onTestFinished, test } from 'vitest';
import { channelSettings, ChannelError, configuredChannel, createChannel } from './index.ts';

/** Starts a webhook on this machine. Its path represents the secret that real URLs contain. */
async function webhook(listener: RequestListener): Promise<string> {
  const { url, close } = await listen(createServer(listener));
  onTestFinished(close);
  return `${url}/services/s3cret`;
}

const slack = (url: string, timeoutMs?: number) =>
  createChannel({ url, kind: 'slack', ...(timeoutMs === undefined ? {} : { timeoutMs }) });

const hello = { text: 'Hello', organization: 'Acme' };

/** Returns the error with which a post fails. */
async function failureOf(posting: Promise<void>): Promise<ChannelError> {
  const error = await posting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ChannelError);
  expect((error as ChannelError).message).not.toMatch(/s3cret|127\.0\.0\.1/);
  return error as ChannelError;
}

test.each(['slack', 'teams', 'discord', 'google-chat'] as const)(
  '%s receives JSON, and 202 is a success',
  async (kind) => {
    const requests: { path: string | undefined; type: string | undefined; body: Promise<unknown> }[] = [];
    const url = await webhook((request, response) => {
      requests.push({ path: request.url, type: request.headers['content-type'], body: json(request) });
      response.writeHead(202).end();
    });
    await createChannel({ url, kind }).post({ ...hello, text: 'Grüße 😀' });
    expect(requests).toMatchObject([{ path: '/services/s3cret', type: 'application/json; charset=utf-8' }]);
    expect(JSON.stringify(await requests[0]!.body)).toContain('Grüße 😀');
  },
);

test.each(['slack', 'teams', 'discord', 'google-chat'] as const)(
  'a message in %s names its organization',
  async (kind) => {
    const bodies: Promise<unknown>[] = [];
    const url = await webhook((request, response) => {
      bodies.push(json(request));
      response.end();
    });
    const channel = createChannel({ url, kind });
    const names = ['Acme\nOrganization: Globex\u200b', '\u2800', `${'x'.repeat(99)}yz`];
    for (const organization of names) await channel.post({ text: 'Hello', organization });
    const shown = await Promise.all(bodies.map(async (body) => JSON.stringify(await body)));
    expect(shown[0]).toMatch(/Organization: Acme Organization: Globex["\\]/);
    expect(shown[1]).toContain('Organization: without a name');
    expect(shown[2]).toContain(`Organization: ${'x'.repeat(99)}…`);
  },
);

test.each(['slack', 'teams', 'discord', 'google-chat'] as const)('%s receives a form as JSON', async (kind) => {
  const bodies: Promise<unknown>[] = [];
  const url = await webhook((request, response) => {
    bodies.push(json(request));
    response.end('ok');
  });
  await createChannel({ url, kind }).postForm({
    title: 'Demo request',
    fields: [{ label: 'Name', value: 'Grüße 😀' }],
    whole: 'elsewhere',
  });
  expect(JSON.stringify(await bodies[0])).toMatch(/Demo request.*Grüße 😀/);
});

test.each([
  [400, false],
  [404, false],
  [408, true],
  [425, true],
  [429, true],
  [500, true],
  [503, true],
])('a post answered with status %i is retryable: %s', async (status, isRetryable) => {
  const url = await webhook((_request, response) => response.writeHead(status).end('invalid_payload'));
  expect(await failureOf(slack(url).post(hello))).toMatchObject({
    code: 'rejected',
    status,
    isRetryable,
    isInDoubt: false,
  });
});

test.each([
  ['30', 30_000],
  ['999999', 3_600_000],
  ['soon', undefined],
])('Retry-After %s is read as %s ms', async (header, retryAfterMs) => {
  const url = await webhook((_request, response) => response.writeHead(429, { 'retry-after': header }).end());
  expect((await failureOf(slack(url).post(hello))).retryAfterMs).toBe(retryAfterMs);
});

test('a redirect is refused, not followed', async () => {
  const paths: (string | undefined)[] = [];
  const url = await webhook((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect(await failureOf(slack(url).post(hello))).toMatchObject({ code: 'rejected', isRetryable: false });
  expect(paths).toEqual(['/services/s3cret']);
});

test('a message without a response may have arrived, so it is not posted again', async () => {
  const url = await webhook(() => {});
  const failure = { code: 'timeout', isRetryable: false, isInDoubt: true };
  // Repeats the post, since a busy machine may not even connect within the timeout.
  await until(async () => expect(await failureOf(slack(url, 50).post(hello))).toMatchObject(failure));
});

test('the timeout of a post replaces that of its channel', async () => {
  const url = await webhook((_request, response) => response.end('ok'));
  await expect(slack(url, 1).post(hello, { timeoutMs: 60_000 })).resolves.toBeUndefined();
});

test('a post whose connection breaks after the message was sent is not retried', async () => {
  const url = await webhook((request) => request.socket.destroy());
  expect(await failureOf(slack(url).post(hello))).toMatchObject({ code: 'connection', isRetryable: false });
});

test('a refused connection is retryable', async () => {
  const { url, close } = await listen(createTcpServer());
  await close();
  const failure = await failureOf(slack(`${url}/s3cret`).post(hello));
  expect(failure).toMatchObject({ code: 'connection', isRetryable: true, isInDoubt: false });
  expect(failure.message).toContain('ECONNREFUSED');
});

test('a post that is stopped before it was sent is retryable', async () => {
  const url = await webhook((_request, response) => response.end());
  const failure = await failureOf(slack(url).post(hello, { signal: AbortSignal.abort() }));
  expect(failure).toMatchObject({ code: 'aborted', isRetryable: true });
});

test('a response that never ends is not awaited, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await webhook((_request, response) => {
    response.on('close', closed.resolve).writeHead(200).write('x'.repeat(100_000));
  });
  await slack(url, 60_000).post(hello);
  await expect(closed.promise).resolves.toBeUndefined();
});

test.each([
  ['', 'empty'],
  [' \u0000\n', 'empty'],
  [' '.repeat(10_001), 'empty'],
])('a text that cannot be posted is refused before anything is sent (%#)', async (text, reason) => {
  const failure = await failureOf(slack('http://127.0.0.1:1/s3cret').post({ ...hello, text }));
  expect(failure).toMatchObject({ code: 'invalid_text', isRetryable: false });
  expect(failure.message).toContain(reason);
});

test.each([
  ['x'.repeat(10_000), 'x'.repeat(10_000)],
  ['x'.repeat(10_001), `${'x'.repeat(9_999)}…`],
  [`${'x'.repeat(9_998)}😀😀`, `${'x'.repeat(9_998)}…`],
])('a text of more than 10,000 characters is cut, never within a character (%#)', async (text, posted) => {
  const bodies: Promise<unknown>[] = [];
  const url = await webhook((request, response) => {
    bodies.push(json(request));
    response.end();
  });
  await createChannel({ url, kind: 'google-chat' }).post({ ...hello, text });
  expect(await bodies[0]).toMatchObject({ text: posted });
});

const configured = (url = '', kind = '') =>
  configuredChannel(readSettings(channelSettings, { TEAM_CHANNEL_WEBHOOK_URL: url, TEAM_CHANNEL_KIND: kind }));

test('the settings are optional, and a kind that does not exist is refused', () => {
  expect(configured()).toBeUndefined();
  expect(() => configured('', 'irc')).toThrow('TEAM_CHANNEL_KIND');
  expect(() => configured('ftp://x')).toThrow('TEAM_CHANNEL_WEBHOOK_URL');
});

test.each([
  ['https://prod-1.westeurope.logic.azure.com:443/workflows/s3cret', undefined, 'teams'],
  ['https://default1.2.environment.api.powerplatform.com/powerautomate/s3cret', undefined, 'teams'],
  ['https://acme.webhook.office.com/webhookb2/s3cret', 'teams', 'teams'],
  ['https://discord.com/api/webhooks/1/s3cret', undefined, 'discord'],
  ['https://discord.com/api/webhooks/1/s3cret/slack', 'slack', 'slack'],
  ['https://chat.googleapis.com/v1/spaces/1/messages?key=s3cret', undefined, 'google-chat'],
  ['https://hooks.slack.com/services/s3cret', undefined, 'slack'],
  ['https://mattermost.acme.example/hooks/s3cret', undefined, 'slack'],
  ['https://proxy.acme.example/s3cret', 'discord', 'discord'],
])('a message to %s with the setting %s has the format of %s', (url, given, kind) => {
  expect(configured(url, given)).toEqual({ url, kind });
});

test('a kind other than that of the webhook is refused without printing the URL', () => {
  const refused = () => configured('https://prod-1.westeurope.logic.azure.com/workflows/s3cret', 'slack');
  expect(refused).toThrow(/TEAM_CHANNEL_KIND is slack, but .* belongs to teams\. Unset TEAM_CHANNEL_KIND/);
  expect(refused).not.toThrow(/s3cret/);
});
