import { isUtf8 } from 'node:buffer';
import { AppError } from '@relata/schemas';
import type { Request, Response } from 'express';
import type { ByteBudget } from './byte-budget.ts';
import { isTooMuch, type Unpack, unpackOf } from './unpack.ts';

/** The largest body of the REST API: 1 MB. */
export const bodyBytesMax = 1_048_576;

/**
 * Reads JSON, whatever it holds. Bytes that are no UTF-8 are refused rather than replaced: what is kept is what was
 * sent.
 */
export async function readJson(request: Request, response: Response): Promise<unknown> {
  refuseDeclared(request);
  const bytes = await readBody(request, response);
  if (bytes.length === 0) throw new AppError('invalid_json', 'The body is empty; send a JSON object.');
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The body is not valid UTF-8.');
  return parse(bytes.toString('utf8'));
}

/** What the headers alone give away is refused before the body is read. */
function refuseDeclared({ headers }: Request): void {
  if (Number(headers['content-length']) > bodyBytesMax) throw tooLarge(bodyBytesMax);
  const type = headers['content-type'];
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
  if (type === undefined ? hasBody : !isJson(type)) throw unsupported('Send application/json in UTF-8.');
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
  /** What all bodies together may take; whoever asked gives back the bytes of a body once it is done with. */
  budget?: ByteBudget;
}

/** Packing seldom makes larger, and never by much. */
const packedSlackBytes = 65_536;

/**
 * Makes a reader of whole bodies. It throws AppError: `payload_too_large`, `unsupported_media_type` for an encoding that
 * is not known, `invalid_json` for what is cut short or badly packed; QueueFullError where the budget is used up.
 */
export function bodyReader({ bytesMax, budget }: BodyReaderOptions) {
  return (request: Request, response: Response): Promise<Buffer> => {
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined) return readPlain(request, response, { bytesMax, budget });
    return readPacked(request, response, { bytesMax, budget, encoding });
  };
}

interface Bounds {
  bytesMax: number;
  budget: ByteBudget | undefined;
}

/** The hot path: express's own reader showed in the profile of every write. */
function readPlain(request: Request, response: Response, { bytesMax, budget }: Bounds): Promise<Buffer> {
  if (Number(request.headers['content-length']) > bytesMax) return Promise.reject(tooLarge(bytesMax));
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const giveUp = (error: unknown) => {
      // The rest is let by unread, so that the client gets to read its answer.
      request.removeAllListeners('data').resume();
      budget?.giveBack(size);
      size = 0;
      reject(error as Error);
    };
    request.on('data', (chunk: Buffer) => {
      if (size + chunk.length > bytesMax) return giveUp(tooLarge(bytesMax));
      try {
        budget?.take(chunk.length);
      } catch (error) {
        return giveUp(error);
      }
      size += chunk.length;
      chunks.push(chunk);
    });
    request.once('end', () => {
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
      // From here on they are for the caller to give back.
      size = 0;
    });
    request.once('error', (error) => giveUp(unreadable(error)));
  });
}

async function readPacked(
  request: Request,
  response: Response,
  { bytesMax, budget, encoding }: Bounds & { encoding: string },
): Promise<Buffer> {
  const unpack = unpackOf(encoding);
  const packed = await readPlain(request, response, { bytesMax: bytesMax + packedSlackBytes, budget });
  try {
    // What cannot be unpacked is too large all the same when it is.
    if (!unpack)
      throw packed.length > bytesMax ? tooLarge(bytesMax) : unsupported('Send gzip, deflate, br or nothing.');
    // How much it will be shows only when it is there.
    budget?.take(bytesMax);
    const bytes = await unpackWithin(unpack, packed, bytesMax).catch((error: unknown) => {
      budget?.giveBack(bytesMax);
      throw error;
    });
    budget?.giveBack(bytesMax - bytes.length);
    return bytes;
  } finally {
    budget?.giveBack(packed.length);
  }
}

async function unpackWithin(unpack: Unpack, packed: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    const bytes = await unpack(packed, bytesMax);
    if (bytes.length <= bytesMax) return bytes;
  } catch (error) {
    if (!isTooMuch(error) && packed.length <= bytesMax) throw unreadable(error);
  }
  throw tooLarge(bytesMax);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body.
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}

/** Cut short, or not packed as it says. */
const unreadable = (cause: unknown) => new AppError('invalid_json', 'The body could not be read.', { cause });
const tooLarge = (bytesMax: number) =>
  new AppError('payload_too_large', `The body is larger than ${bytesMax.toLocaleString('en-US')} bytes.`);
const unsupported = (message: string) => new AppError('unsupported_media_type', message);

const readBody = bodyReader({ bytesMax: bodyBytesMax });
