import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { OutboundError } from '../outbound.error.ts';
import type { Redaction } from '../requests/redaction.ts';

/** The largest body of an answer, unpacked: 256 KiB. */
const answerBytesMax = 262_144;

/** What an excerpt is made from. */
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

/** Servers send `deflate` with and without the header of zlib. */
const isZlib = (bytes: Buffer) => (bytes[0]! & 0x0f) === 8;

/** The whole body, unpacked; fails with `too_large` before more than the limit is held. */
export async function readBytes(response: IncomingMessage): Promise<Buffer> {
  const encoding = encodingOf(response);
  // What does not compress grows a little when it is packed.
  const { bytes, isCut } = await collect(response, encoding ? answerBytesMax + 1_024 : answerBytesMax);
  if (isCut) throw tooLarge();
  if (!encoding || bytes.length === 0) return bytes;
  return unpack(bytes, encoding, { maxOutputLength: answerBytesMax });
}

/** The beginning of the text of an answer that is an error; a text that cannot be read is left out, since the status matters more. */
export async function readExcerpt(response: IncomingMessage, redaction: Redaction): Promise<string> {
  try {
    const { bytes, isCut } = await collect(response, excerptBytesMax);
    const encoding = encodingOf(response);
    const options = { maxOutputLength: answerBytesMax, finishFlush: constants.Z_SYNC_FLUSH };
    const plain = encoding && bytes.length > 0 ? await unpack(bytes, encoding, options) : bytes;
    const text = plain.toString('utf8');
    // Before it is cut: half a secret is not found any more.
    return cleanExcerpt(isCut ? redaction.beginning(text) : redaction.text(text));
  } catch {
    return '';
  }
}

async function unpack(bytes: Buffer, encoding: string, options: ZlibOptions): Promise<Buffer> {
  const unpacker = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  // Several packings in a row would let a small body cost much without ever becoming large.
  if (!unpacker) throw new OutboundError('bad_response', 'The answer is packed in a way that was not asked for.');
  try {
    return await unpacker(bytes, options);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new OutboundError('bad_response', `The answer is not the ${encoding} that it says.`, { cause });
  }
}

/** At most `bytesMax` bytes; the rest is never received. */
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

/** Without control characters, and never with half a code point at its end. */
function cleanExcerpt(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return line.slice(0, excerptCharsMax).replace(/[\ud800-\udbff]$/, '');
}

const tooLarge = () => new OutboundError('too_large', `The answer is larger than ${answerBytesMax} bytes.`);
