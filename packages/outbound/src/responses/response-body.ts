import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { OutboundError } from '../outbound.error.ts';
import type { Redaction } from '../requests/request-hop.ts';

/** Maximum size of a response body after decompression: 256 KiB. */
const responseBytesMax = 262_144;

/** Maximum number of bytes that are read for an excerpt of an error response. */
const excerptBytesMax = 8_192;
const excerptCharsMax = 1_000;

type Unpack = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;

const unpackers: Record<string, Unpack> = {
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  deflate: (bytes, options) => (isZlib(bytes) ? inflated : inflatedRaw)(bytes, options),
  br: (bytes, { maxOutputLength }) => unbrotlied(bytes, { maxOutputLength }),
};
const inflated = promisify<Buffer, ZlibOptions, Buffer>(inflate);
const inflatedRaw = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);
const unbrotlied = promisify<Buffer, { maxOutputLength: number | undefined }, Buffer>(brotliDecompress);

/** Returns true if `deflate` data has a zlib header. Some servers send it without one. */
const isZlib = (bytes: Buffer) => (bytes[0]! & 0x0f) === 8;

/** Reads and decompresses the whole body. Throws `too_large` as soon as the limit is exceeded. */
export async function readBytes(response: IncomingMessage): Promise<Buffer> {
  const encoding = encodingOf(response);
  // Data that cannot be compressed grows a little in compressed form.
  const { bytes, isCut } = await collect(response, encoding ? responseBytesMax + 1_024 : responseBytesMax);
  if (isCut) throw tooLarge();
  if (!encoding || bytes.length === 0) return bytes;
  return unpack(bytes, encoding, { maxOutputLength: responseBytesMax });
}

/**
 * Reads the beginning of the text of an error response. Returns '' if it cannot be read, since the status matters more.
 */
export async function readExcerpt(response: IncomingMessage, redaction: Redaction): Promise<string> {
  try {
    const { bytes, isCut } = await collect(response, excerptBytesMax);
    const encoding = encodingOf(response);
    const options = { maxOutputLength: responseBytesMax, finishFlush: constants.Z_SYNC_FLUSH };
    const plain = encoding && bytes.length > 0 ? await unpack(bytes, encoding, options) : bytes;
    const text = plain.toString('utf8');
    // Secrets are redacted before the text is cut, because a part of a secret would not be found.
    return cleanExcerpt(isCut ? redaction.beginning(text) : redaction.text(text));
  } catch {
    return '';
  }
}

async function unpack(bytes: Buffer, encoding: string, options: ZlibOptions): Promise<Buffer> {
  const unpacker = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  // Nested encodings are refused, because decompressing them could cost much time even if the result is small.
  if (!unpacker) throw new OutboundError('bad_response', 'The response has an unsupported Content-Encoding.');
  try {
    return await unpacker(bytes, options);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new OutboundError(
      'bad_response',
      `The response is not valid ${encoding}, although its Content-Encoding says so.`,
      { cause },
    );
  }
}

/** Collects at most `bytesMax` bytes; the rest is not received. */
async function collect(response: IncomingMessage, bytesMax: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > bytesMax) break;
  }
  return { bytes: Buffer.concat(chunks, Math.min(size, bytesMax)), isCut: size > bytesMax };
}

function encodingOf({ headers }: IncomingMessage): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  return encoding && encoding !== 'identity' ? encoding : undefined;
}

/** Removes control characters and cuts the text without splitting a code point. */
function cleanExcerpt(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return line.slice(0, excerptCharsMax).replace(/[\ud800-\udbff]$/, '');
}

const tooLarge = () => new OutboundError('too_large', `The response is larger than ${responseBytesMax} bytes.`);
