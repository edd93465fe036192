import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { QueueFullError } from '@relata/runtime';
import { batchItemsMax } from '@relata/schemas';
import { countText } from '@relata/schemas/count-text';
import { AppError } from '@relata/schemas/errors';
import type { Request, Response } from 'express';
import { ArrivingBody, watchBodyRate, unwatchBodyRate, RequestTimeoutError } from './body-rate.ts';
import type { HeldBytes } from '../limits/byte-budget.ts';
import { loopTurns } from '../limits/loop-turns.ts';
import { type ParsedJson, parseJson } from './parse-json.ts';
import { TooMuchError, findUnpack } from './unpack.ts';

/** Maximum size of a body of the REST API: 1 MB. */
export const bodyBytesMax = 1_048_576;

/**
 * Limits on how much of a large JSON body is kept in memory. No operation accepts a body that exceeds them, and the
 * error for such a body still names all problems.
 */
const keptBounds = {
  levelsMax: 64,
  containersMax: 10_000,
  membersMax: 10_000,
  // The largest valid item has only a fraction of these objects and lists.
  elements: { countMax: batchItemsMax, containersMax: 50 },
};

/**
 * Reads JSON of any content. If `names` are given, it keeps only a part of a large body: the members with these names,
 * within `keptBounds`. Otherwise it keeps everything. Refuses bytes that are not UTF-8 instead of replacing them.
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

/** Refuses a body that its headers already rule out. */
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

/** Bytes by which a compressed body may exceed the limit, since compression can make a body slightly larger. */
const packedSlackBytes = 65_536;

/** Reads a whole body, and counts its bytes in `held`. */
export type BodyReader = (request: IncomingMessage, response: ServerResponse, held: HeldBytes) => Promise<Buffer>;

/**
 * Returns a reader of whole bodies. It throws AppError: `payload_too_large`, `unsupported_media_type` for an unknown
 * encoding, `invalid_json` for a truncated or badly compressed body; QueueFullError if the party's share of the memory
 * is used up; RequestTimeoutError if a body arrives too slowly.
 */
export function bodyReader({ bytesMax }: Pick<BodyBounds, 'bytesMax'>): BodyReader {
  return async (request, response, held) => {
    const arrived = await readArrived(request, response, { bytesMax, held });
    return unpackArrived(request, arrived, { bytesMax, held });
  };
}

const largeBytes = 65_536;

export interface BodyBounds {
  /** Maximum size of the body after decoding. */
  bytesMax: number;
  /** Account for the returned bytes. */
  held: HeldBytes;
  /** Time in which the whole body must arrive; by default only its rate is limited. */
  withinMs?: number | undefined;
}

/** Reads a body without decoding it: these are the bytes that a sender signs. Throws the errors of `bodyReader`. */
export function readArrived(
  request: IncomingMessage,
  response: ServerResponse,
  { bytesMax, ...bounds }: BodyBounds,
): Promise<Buffer> {
  const isPacked = request.headers['content-encoding'] !== undefined;
  return readPlain(request, response, { bytesMax: isPacked ? bytesMax + packedSlackBytes : bytesMax, ...bounds });
}

/**
 * Decodes a received body by its Content-Encoding. `held` already counts the received bytes. Throws the errors of
 * `bodyReader`.
 */
export async function unpackArrived(request: IncomingMessage, arrived: Buffer, bounds: BodyBounds): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  // A sender or a proxy may declare an encoding for an empty body, too.
  const isPlain = encoding === undefined || arrived.length === 0;
  const bytes = isPlain ? arrived : await unpackBytes(arrived, encoding, bounds);
  // Small requests must not wait until all large bodies have been parsed.
  if (bytes.length > largeBytes) await loopTurns.take(bounds.held.party);
  return bytes;
}

/** Reads a body without the body parser of express, which took a noticeable part of the time of every write. */
async function readPlain(
  request: IncomingMessage,
  response: ServerResponse,
  { bytesMax, held, withinMs }: BodyBounds,
): Promise<Buffer> {
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  if (declaredBytes > bytesMax) throw tooLarge(bytesMax);
  // Reserves the declared size before reading. Otherwise many concurrent bodies would each be read in part, but none
  // completely.
  held.take(declaredBytes);
  if (request.headers.expect !== undefined) response.writeContinue();
  const onMore = declaredBytes > 0 ? undefined : (bytes: number) => held.take(bytes);
  return arrivalOf(request, { bytesMax, withinMs, onMore });
}

interface ArrivalBounds extends Pick<BodyBounds, 'bytesMax' | 'withinMs'> {
  /** Called with the size of each piece if the total size was unknown; may throw. */
  onMore: ((bytes: number) => void) | undefined;
}

function arrivalOf(request: IncomingMessage, { bytesMax, withinMs, onMore }: ArrivalBounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const giveUp = (error: unknown) => {
      // The rest is discarded after the response, so that the client gets to read the response.
      request.removeAllListeners('data').pause();
      clearTimeout(deadline);
      unwatchBodyRate(body);
      reject(error as Error);
    };
    const body = new ArrivingBody(giveUp);
    const onLate = () => giveUp(new RequestTimeoutError('The body did not arrive in time.'));
    const deadline = withinMs === undefined ? undefined : setTimeout(onLate, withinMs);
    // A body that arrived together with its head is already complete.
    if (!request.complete) watchBodyRate(body);
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
      clearTimeout(deadline);
      unwatchBodyRate(body);
      resolve(body.whole());
    });
    request.once('error', (error) => giveUp(unreadable(error)));
  });
}

async function unpackBytes(packed: Buffer, encoding: string, { bytesMax, held }: BodyBounds): Promise<Buffer> {
  const unpack = findUnpack(encoding);
  // A body that cannot be decoded may still be too large, and that is reported first.
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

/** Returns the error for a body that is truncated, or not compressed as declared. */
const unreadable = (cause: unknown) => new AppError('invalid_json', 'The body could not be read.', { cause });
const tooLarge = (bytesMax: number) =>
  new AppError('payload_too_large', `The body is larger than ${countText(bytesMax)} bytes.`, {
    data: { body_bytes: bytesMax },
  });
const unsupported = (message: string, allowed: string[]) =>
  new AppError('unsupported_media_type', message, { data: { allowed } });
const noEncoding = () => unsupported('Send Content-Encoding gzip, deflate or br, or none.', ['gzip', 'deflate', 'br']);

const readBody = bodyReader({ bytesMax: bodyBytesMax });
