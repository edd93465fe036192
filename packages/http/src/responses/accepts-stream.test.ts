import { expectWithin } from '@relata/testing';
import { expect, test } from 'vitest';
import { acceptsStream } from './accepts-stream.ts';

test.each([
  'text/event-stream',
  'Text/Event-Stream',
  'text/event-stream;charset=utf-8',
  'text/event-stream, */*',
  'text/event-stream;q=0.001',
  'application/json;q=0.5, text/event-stream;q=0.9',
  ' text/*;q=0.4 , application/json;q=0.3',
  '*/*;q=0.5, text/event-stream',
  'text/event-stream, application/json;q=0',
  'text/html;title="a, application/json", text/event-stream',
])('the Accept header %s selects a stream', (accept) => expect(acceptsStream(accept)).toBe(true));

test.each([
  undefined,
  '',
  '*/*',
  'application/json',
  'text/html, application/xhtml+xml, */*;q=0.8',
  'application/json, text/event-stream',
  'text/event-stream;q=0.3, application/json;q=0.9',
  'text/event-stream;q=0',
  'text/event-stream;q=0, text/*',
  'text/event-stream;q=2',
  'text/event-stream;q=-1',
  'text/event-stream;q=',
  'text/event-streams',
  'xtext/event-stream',
  'text/html;title="text/event-stream, text/event-stream',
  'image/png',
])('the Accept header %s selects JSON', (accept) => expect(acceptsStream(accept)).toBe(false));

test('reads a header of 16 KB in a single pass', async () => {
  await expectWithin(500, () => {
    for (const part of ['"\\', 'text/,', 'text/*;q=0,', '";', ' '])
      acceptsStream(`text/event-stream,${part.repeat(16_000 / part.length)}`);
  });
});
