import { getEventListeners, once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { type ModelServer, startModelServer, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  asking,
  type TestGateway,
  streamedParts,
  startTestChat,
  type TestChat,
  textOfParts,
} from '../chat-gateway.harness.ts';

let model: ModelServer;
let chat: TestChat;

beforeAll(async () => {
  model = await startModelServer();
  chat = await startTestChat({ modelUrl: model.url });
});
afterAll(async () => {
  await chat[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** Asks a question, and returns the answer once it has begun. */
async function begin(url: string, signal?: AbortSignal) {
  const response = await fetch(`${url}/v1/genie/chat`, {
    method: 'POST',
    headers: { 'X-Api-Key': chat.tenant.key, 'Content-Type': 'application/json' },
    body: JSON.stringify(asking('Hello')),
    ...(signal && { signal }),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (words: string) => {
    while (!text.includes(words)) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
    }
    return text;
  };
  return { response, until };
}

const openStreams = async ({ metrics }: TestGateway) =>
  /chat_streams_open\{?.*\}? (\d+)/.exec(await metrics.metrics())?.[1];
const outcomes = async ({ metrics }: TestGateway, outcome: string) =>
  Number(
    new RegExp(`chat_answers_total\\{[^}]*outcome="${outcome}"[^}]*\\} (\\d+)`).exec(await metrics.metrics())?.[1] ?? 0,
  );

describe('when the visitor leaves', () => {
  test.each([
    ['before the first token', [{ pause: Infinity }]],
    ['in the middle of the answer', [{ say: 'It ' }, { pause: Infinity }]],
  ])('if a visitor leaves %s, the call to the model ends and no other model is asked', async (_when, steps) => {
    model.script = { steps };
    model.requests.length = 0;
    const leaving = new AbortController();
    const { until: read } = await begin(chat.url, leaving.signal);
    await read('"type":"start"');
    await until(() => expect(model.requests).toHaveLength(1));
    if (steps.length > 1) await read('It ');
    leaving.abort();
    await model.requests[0]!.left;
    await until(async () => expect(await openStreams(chat)).toBe('0'));
    expect(await outcomes(chat, 'left')).toBeGreaterThan(0);
    expect(await outcomes(chat, 'failed')).toBe(0);
  });
});

describe('at the deadline', () => {
  test('an answer that is open at the deadline ends with an error text', async () => {
    model.script = {
      steps: [{ say: 'It ' }, ...Array.from({ length: 2_000 }, () => [{ pause: 50 }, { say: 'goes on ' }]).flat()],
    };
    await using gateway = await chat.startReplica({ deadlineMs: 1_000 });
    // Repeats the request, since on a stalled machine the deadline may pass before the answer has begun.
    const text = await until(async () => {
      const { until: read } = await begin(gateway.url);
      const whole = await read('[DONE]');
      expect(whole).toContain('It ');
      return whole;
    });
    expect(streamedParts(text)).toContainEqual({
      type: 'error',
      errorText: 'The answer took too long and was cut off. Please ask again.',
    });
    expect(streamedParts(text).filter(({ type }) => type === 'text-end')).toHaveLength(1);
    await model.requests.at(-1)!.left;
    expect(await outcomes(gateway, 'deadline')).toBeGreaterThan(0);
    expect(await outcomes(gateway, 'finished')).toBe(0);
  });

  test('an answer whose model has sent nothing ends at the deadline', async () => {
    model.script = { steps: [{ pause: Infinity }] };
    await using gateway = await chat.startReplica({ deadlineMs: 1_000, firstTokenMs: 60_000 });
    const { until: read } = await begin(gateway.url);
    expect(streamedParts(await read('[DONE]')).some(({ type }) => type === 'error')).toBe(true);
  });
});

test('a reader that stalls makes the model wait instead of filling the memory, and is cut off at the deadline', async () => {
  const steps = Array.from({ length: 10_000 }, () => ({ say: 'x'.repeat(10_000) }));
  model.script = { steps };
  model.said = 0;
  await using gateway = await chat.startReplica({ deadlineMs: 1_500, outputTokens: 100_000_000 });
  const socket = await stalled(gateway.url);
  await until(async () => expect(await outcomes(gateway, 'deadline')).toBe(1));
  await until(async () => expect(await openStreams(gateway)).toBe('0'));
  // The limit leaves room for the kernel's buffers of both connections. A client that reads would receive several times
  // as much in the same time.
  expect(model.said).toBeLessThan(25_000_000);
  socket.destroy();
});

/** Asks a question over a kept-alive connection. */
async function answered(url: string, agent: Agent): Promise<[IncomingMessage]> {
  const headers = { 'X-Api-Key': chat.tenant.key, 'Content-Type': 'application/json' };
  const asked = request(`${url}/v1/genie/chat`, { method: 'POST', agent, headers });
  asked.end(JSON.stringify(asking('Hello')));
  return (await once(asked, 'response')) as [IncomingMessage];
}

/** Asks a question, and does not read the answer. */
async function stalled(url: string): Promise<Socket> {
  const body = JSON.stringify(asking('Hello'));
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.pause().on('error', () => {});
  const head = [
    'POST /v1/genie/chat HTTP/1.1',
    'Host: x',
    `X-Api-Key: ${chat.tenant.key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

describe('when the process stops', () => {
  test('a stop ends open answers with an error text, and drops no request', async () => {
    model.script = { steps: [{ say: 'It ' }, { pause: Infinity }] };
    const stopping = new AbortController();
    const gateway = await chat.startReplica({ stopping: stopping.signal });
    const { until: read } = await begin(gateway.url);
    await read('It ');
    stopping.abort();
    const text = await read('[DONE]');
    expect(streamedParts(text)).toContainEqual({
      type: 'error',
      errorText: 'The service is about to restart. Please ask again in a moment.',
    });
    await gateway[Symbol.asyncDispose]();
  });

  test('an answer that has ended leaves no listener on the stop signal', async () => {
    model.script = { steps: [{ say: 'It ends.' }] };
    const stopping = new AbortController();
    await using gateway = await chat.startReplica({ stopping: stopping.signal });
    const { until: read } = await begin(gateway.url);
    await read('[DONE]');
    await until(() => expect(getEventListeners(stopping.signal, 'abort')).toEqual([]));
  });

  test('a stop closes the server once the last answer has ended, even if its client keeps the connection', async () => {
    model.script = { steps: [{ say: 'It ' }, { pause: 500 }, { say: 'ends.' }] };
    const gateway = await chat.startReplica();
    const agent = new Agent({ keepAlive: true });
    const [response] = await answered(gateway.url, agent);
    const startedAt = performance.now();
    const [text] = await Promise.all([textOf(response), gateway[Symbol.asyncDispose]()]);
    expect(text).toContain('ends.');
    // A kept-alive connection would stay open for 65 s.
    expect(performance.now() - startedAt).toBeLessThan(40_000);
    agent.destroy();
  });
});

test('200 concurrent visitors all get the complete answer', async () => {
  model.script = { steps: Array.from({ length: 20 }, (_, at) => [{ say: `${at} ` }, { pause: 5 }]).flat() };
  const whole = Array.from({ length: 20 }, (_, at) => `${at} `).join('');
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const { until: read } = await begin(chat.url);
      return textOfParts(streamedParts(await read('[DONE]')));
    }),
  );
  expect(answers.filter((answer) => answer === whole)).toHaveLength(200);
  await until(async () => expect(await openStreams(chat)).toBe('0'));
});
