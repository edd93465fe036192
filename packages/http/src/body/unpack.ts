import type { Transform } from 'node:stream';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import { Slots } from '@relata/runtime';
import type { HeldBytes } from '../limits/byte-budget.ts';

interface UnpackOptions {
  chunkSize?: number;
  maxOutputLength?: number;
}

/** Decoders for an encoding. */
interface Unpacker {
  sync(bytes: Buffer, options: UnpackOptions): Buffer;
  open(options: UnpackOptions): Transform;
}

const gzip: Unpacker = { sync: gunzipSync, open: createGunzip };
const zlib: Unpacker = { sync: inflateSync, open: createInflate };
const raw: Unpacker = { sync: inflateRawSync, open: createInflateRaw };
const br: Unpacker = { sync: brotliDecompressSync, open: createBrotliDecompress };

const codings: Record<string, (bytes: Buffer) => Unpacker | null> = {
  gzip: () => gzip,
  /** Another name for gzip (RFC 9110, section 8.4.1.3). */
  'x-gzip': () => gzip,
  /** Deflated data should have a zlib header, but often has none (RFC 9110, section 8.4.1.2). */
  deflate: (bytes) => (hasZlibHeader(bytes) ? zlib : raw),
  br: () => br,
  identity: () => null,
};

function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** The unpacked body is larger than allowed. */
export class TooMuchError extends Error {
  override name = 'TooMuchError';
}

interface UnpackBounds {
  bytesMax: number;
  /** Account for the unpacked bytes. */
  held: HeldBytes;
}

type Unpack = (bytes: Buffer, bounds: UnpackBounds) => Promise<Buffer>;

/** Returns the decoder of a Content-Encoding; undefined for an unknown encoding, or for several nested ones. */
export function findUnpack(contentEncoding: string): Unpack | undefined {
  const names = contentEncoding.split(',').map((coding) => coding.trim().toLowerCase());
  const [name = 'identity', ...others] = names.filter((other) => other !== '' && other !== 'identity');
  if (others.length > 0 || !Object.hasOwn(codings, name)) return undefined;
  return (bytes, bounds) => unpack(codings[name]!(bytes), bytes, bounds);
}

/** Unpacks a body. Throws TooMuchError, QueueFullError, or the error of zlib for broken bytes. */
async function unpack(unpacker: Unpacker | null, bytes: Buffer, bounds: UnpackBounds): Promise<Buffer> {
  if (!unpacker) return identical(bytes, bounds);
  return (
    (bytes.length <= smallPackedBytes ? unpackSmall(unpacker, bytes, bounds) : undefined) ??
    (await unpackInSteps(unpacker, bytes, bounds))
  );
}

function identical(bytes: Buffer, { bytesMax, held }: UnpackBounds): Buffer {
  if (bytes.length > bytesMax) throw new TooMuchError();
  held.take(bytes.length);
  return bytes;
}

const smallPackedBytes = 16_384;
const smallBytes = 65_536;

/**
 * Unpacks a small body synchronously, which is five times as fast as in the thread pool and takes at most 0.1 ms;
 * returns undefined if the result would be large.
 */
function unpackSmall({ sync }: Unpacker, packed: Buffer, { bytesMax, held }: UnpackBounds): Buffer | undefined {
  const bytes = orNothingIfTooMuch(() => sync(packed, { maxOutputLength: Math.min(bytesMax, smallBytes) }));
  held.take(bytes?.length ?? 0);
  return bytes;
}

function orNothingIfTooMuch(make: () => Buffer): Buffer | undefined {
  try {
    return make();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    return undefined;
  }
}

/**
 * Slots for unpacking large bodies, each on a thread of libuv's pool. The other threads remain for name resolution and
 * for reading files.
 */
const slots = new Slots(2);
const stepBytes = 65_536;

async function unpackInSteps(unpacker: Unpacker, packed: Buffer, bounds: UnpackBounds): Promise<Buffer> {
  using _slot = await slots.hold(bounds.held.party);
  return await collect(unpacker.open({ chunkSize: stepBytes }).end(packed), bounds);
}

/** Collects the unpacked bytes. An error ends the loop, and so stops the decoder. */
async function collect(steps: AsyncIterable<Buffer>, { bytesMax, held }: UnpackBounds): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of steps) {
    size += chunk.length;
    if (size > bytesMax) throw new TooMuchError();
    held.take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
