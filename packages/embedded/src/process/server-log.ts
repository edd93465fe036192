import { open, readFile, stat } from 'node:fs/promises';

const tailBytesMax = 8_192;

/** Returns the current size of a log, so that a later read can skip the output of earlier runs. */
export async function logSize(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

/** Returns the last lines that were written to a log after its first `from` bytes. */
export async function lastLines(file: string, from: number, count = 15): Promise<string> {
  const size = await logSize(file);
  const start = Math.max(from, size - tailBytesMax);
  if (size <= start) return '';
  const text = start === 0 ? await readFile(file, 'utf8') : await readFrom(file, start, size - start);
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

async function readFrom(file: string, position: number, length: number): Promise<string> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('utf8', 0, bytesRead);
}
