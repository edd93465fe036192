import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

/** Takes an encoding off; fails where more than `bytesMax` would come of it. */
export type Unpack = (bytes: Buffer, bytesMax: number) => Promise<Buffer>;

const inflating = promisify(inflate);
const inflatingRaw = promisify(inflateRaw);
const gunzipping = promisify(gunzip);
const decompressing = promisify(brotliDecompress);

const unpacks: Record<string, Unpack> = {
  gzip: (bytes, maxOutputLength) => gunzipping(bytes, { maxOutputLength }),
  deflate: (bytes, maxOutputLength) => (hasZlibHeader(bytes) ? inflating : inflatingRaw)(bytes, { maxOutputLength }),
  br: (bytes, maxOutputLength) => decompressing(bytes, { maxOutputLength }),
  identity: (bytes) => Promise.resolve(bytes),
};

/** Means gzip (RFC 9110, section 8.4.1.3). */
unpacks['x-gzip'] = unpacks['gzip']!;

/** `deflate` is meant to have a zlib header, and often comes without (RFC 9110, section 8.4.1.2). */
function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** The way to take a Content-Encoding off; undefined for one that is not known, or for several in one another. */
export function unpackOf(contentEncoding: string): Unpack | undefined {
  const codings = contentEncoding.split(',').map((coding) => coding.trim().toLowerCase());
  const [coding = 'identity', ...others] = codings.filter((name) => name !== '' && name !== 'identity');
  return others.length > 0 || !Object.hasOwn(unpacks, coding) ? undefined : unpacks[coding];
}

/** Whether unpacking failed of more than `bytesMax`, rather than of broken bytes. */
export function isTooMuch(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
}
