import { expect, test } from 'vitest';
import { readEvents } from './event-reader.ts';

function body(...chunks: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      controller.close();
    },
  });
}

const read = (...chunks: (string | Uint8Array)[]) => Array.fromAsync(readEvents(body(...chunks)));

const stream =
  ': stream-open\n\ndata: {"a":"ä€😀"}\r\n\r\nevent: x\ndata: one\r\ndata:two\rdata: three\r\rid: 7\n\n: keep-alive\n\ndata\n\ndata: [DONE]\n\n';
const events = ['{"a":"ä€😀"}', 'one\ntwo\nthree', '[DONE]'];

test('a stream has the same meaning wherever its bytes are split in two', async () => {
  const bytes = Buffer.from(stream);
  for (let at = 0; at <= bytes.length; at++) {
    expect(await read(bytes.subarray(0, at), bytes.subarray(at)), `split at ${at}`).toEqual(events);
  }
});

test('a stream has the same meaning in single bytes, with empty pieces, and as one piece', async () => {
  const bytes = [...Buffer.from(stream)];
  expect(await read(...bytes.map((byte) => Uint8Array.of(byte)))).toEqual(events);
  expect(await read(...bytes.flatMap((byte) => [Uint8Array.of(byte), Uint8Array.of()]))).toEqual(events);
  expect(await read(stream)).toEqual(events);
});

test('an event that the end of the stream cut off is dropped', async () => {
  expect(await read('data: whole\n\ndata: half')).toEqual(['whole']);
  expect(await read('data: whole\n\ndata: half\n')).toEqual(['whole']);
});

test('invalid UTF-8 becomes replacement characters', async () => {
  expect(await read(Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a))).toEqual(['\ufffd']);
});

test.each([
  ['one line without end', () => 'x'.repeat(65_536)],
  ['one event of many lines', () => `data: ${'x'.repeat(999)}\n`.repeat(64)],
])('%s is read no further than 262,144 characters', async (_what, chunk) => {
  let chunks = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      chunks += 1;
      controller.enqueue(Buffer.from(chunk()));
    },
  });
  await expect(Array.fromAsync(readEvents(endless))).rejects.toThrow(RangeError);
  expect(chunks).toBeLessThan(10);
});

test('a reader that stops early closes the connection', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Buffer.from('data: x\n\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const data of readEvents(endless)) {
    expect(data).toBe('x');
    break;
  }
  expect(isCancelled).toBe(true);
});
