import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { QueueFullError } from '@relata/runtime';
import { countText } from '@relata/schemas/count-text';
import { AppError } from '@relata/schemas/errors';
import type { Request, Response } from 'express';
import { ArrivingBody, beginPace, endPace } from './body-pace.ts';
import type { HeldBytes } from '../limits/byte-budget.ts';
import { loopTurns } from '../limits/loop-turns.ts';
import { type ParsedJson, parseJson } from './parse-json.ts';
import { TooMuchError, unpackOf } from './unpack.ts';

/** The largest body of the REST API: 1 MB. */
export const bodyBytesMax = 1_048_576;

/** No operation takes more of anything: what is beyond is refused with all that is wrong, and fills no memory. */
const keptBounds = { levelsMax: 64, containersMax: 10_000, membersMax: 10_000 };

/**
 * Reads JSON, whatever it holds. With names it keeps members of these names, and otherwise no more than an operation could
 * take; without names it keeps everything. Refuses bytes that are not UTF-8 rather than replacing them.
 */
export async function readJson(
  request: Request,
  response: Response,
  { held, names }: { held: HeldBytes; names: ReadonlySet<string> | undefined },
): Promise<ParsedJson> {
  refuseDeclared(request);
  const bytes = await readBody(request, response, held);
  if (bytes.length === 0) throw new AppError('invalid_json', 'The body is empty; send a JSON object.');
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The body is not valid UTF-8.');
  return parseJson(bytes.toString('utf8'), { party: held.party, ...(names && { keeps: { ...keptBounds, names } }) });
}

/** Refuses by the headers alone what need not be read. */
function refuseDeclared({ headers }: Request): void {
  if (Number(headers['content-length']) > bodyBytesMax) throw tooLarge(bodyBytesMax);
  const type = headers['content-type'];
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
  if (type === undefined ? hasBody : !isJson(type))
    throw unsupported('Send application/json in UTF-8.', ['application/json']);
}

function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const [type, ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  return type!.trim() === 'application/json' && (!charset || /^charset="?utf-?8"?$/.test(charset.trim()));
}

export interface BodyReaderOptions {
  /** The largest body, after decoding. */
  bytesMax: number;
}

/** Compression seldom makes a body larger, and never by much. */
const packedSlackBytes = 65_536;

/** Reads a whole body; when it is there, `held` holds its bytes. */
export type BodyReader = (request: Request, response: Response, held: HeldBytes) => Promise<Buffer>;

/**
 * Makes a reader of whole bodies. It throws AppError: `payload_too_large`, `unsupported_media_type` for an encoding that
 * is not known, `invalid_json` for what is cut short or badly packed; QueueFullError where the share is used up;
 * RequestTimeoutError for a body that comes too slowly.
 */
export function bodyReader({ bytesMax }: BodyReaderOptions): BodyReader {
  return async (request, response, held) => {
    const arrived = await readArrived(request, response, { bytesMax, held });
    return unpackArrived(request, arrived, { bytesMax, held });
  };
}

const largeBytes = 65_536;

export interface BodyBounds {
  /** The largest body, after decoding. */
  bytesMax: number;
  /** Holds the bytes that are returned. */
  held: HeldBytes;
}

/** Reads a body as it comes, packed or not: the bytes that a sender signs. Throws as `bodyReader` does. */
export function readArrived(
  request: IncomingMessage,
  response: ServerResponse,
  { bytesMax, held }: BodyBounds,
): Promise<Buffer> {
  const isPacked = request.headers['content-encoding'] !== undefined;
  return readPlain(request, response, { bytesMax: isPacked ? bytesMax + packedSlackBytes : bytesMax, held });
}

/** Takes the Content-Encoding off what has arrived; `held` holds that already. Throws as `bodyReader` does. */
export async function unpackArrived(request: IncomingMessage, arrived: Buffer, bounds: BodyBounds): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  const bytes = encoding === undefined ? arrived : await unpackBytes(arrived, encoding, bounds);
  // Small requests need not wait until all the large bodies that are there have been parsed.
  if (bytes.length > largeBytes) await loopTurns.take(bounds.held.party);
  return bytes;
}

/** The hot path: express's own reader showed in the profile of every write. */
async function readPlain(
  request: IncomingMessage,
  response: ServerResponse,
  { bytesMax, held }: BodyBounds,
): Promise<Buffer> {
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  if (declaredBytes > bytesMax) throw tooLarge(bytesMax);
  // Taken whole before it is read: of many at once some are read, rather than a part of each.
  held.take(declaredBytes);
  if (request.headers.expect !== undefined) response.writeContinue();
  return arrivalOf(request, { bytesMax, onMore: declaredBytes > 0 ? undefined : (bytes) => held.take(bytes) });
}

interface ArrivalBounds {
  bytesMax: number;
  /** Called with the size of each piece, where it was not known before; may throw. */
  onMore: ((bytes: number) => void) | undefined;
}

function arrivalOf(request: IncomingMessage, { bytesMax, onMore }: ArrivalBounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const giveUp = (error: unknown) => {
      // The rest is discarded after the answer, so that the client gets to read it.
      request.removeAllListeners('data').pause();
      endPace(body);
      reject(error as Error);
    };
    const body = new ArrivingBody(giveUp);
    // What came in one piece with its head is there already.
    if (!request.complete) beginPace(body);
    request.on('data', (chunk: Buffer) => {
      if (body.bytes + chunk.length > bytesMax) return giveUp(tooLarge(bytesMax));
      try {
        onMore?.(chunk.length);
      } catch (error) {
        return giveUp(error);
      }
      body.add(chunk);
    });
    request.once('end', () => {
      endPace(body);
      resolve(body.whole());
    });
    request.once('error', (error) => giveUp(unreadable(error)));
  });
}

async function unpackBytes(packed: Buffer, encoding: string, { bytesMax, held }: BodyBounds): Promise<Buffer> {
  const unpack = unpackOf(encoding);
  // What cannot be unpacked is too large all the same when it is.
  if (!unpack) throw packed.length > bytesMax ? tooLarge(bytesMax) : noEncoding();
  try {
    const bytes = await unpack(packed, { bytesMax, held });
    held.giveBack(packed.length);
    return bytes;
  } catch (error) {
    if (error instanceof QueueFullError) throw error;
    throw error instanceof TooMuchError || packed.length > bytesMax ? tooLarge(bytesMax) : unreadable(error);
  }
}

/** Cut short, or not packed as it says. */
const unreadable = (cause: unknown) => new AppError('invalid_json', 'The body could not be read.', { cause });
const tooLarge = (bytesMax: number) =>
  new AppError('payload_too_large', `The body is larger than ${countText(bytesMax)} bytes.`, {
    data: { body_bytes: bytesMax },
  });
const unsupported = (message: string, allowed: string[]) =>
  new AppError('unsupported_media_type', message, { data: { allowed } });
const noEncoding = () => unsupported('Send gzip, deflate, br or nothing.', ['gzip', 'deflate', 'br']);

const readBody = bodyReader({ bytesMax: bodyBytesMax });
