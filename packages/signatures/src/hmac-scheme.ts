import { decodeDigest, readUnixTime } from './encodings.ts';
import type { Algorithm, ParsedSignature, Encoding, HeaderFamily, SignatureScheme } from './scheme.ts';

/** Format of an HMAC signature of the body, or of a string that contains the body. */
export interface HmacShape {
  header: string;
  algorithm?: Algorithm | undefined;
  encoding?: Encoding | undefined;
  /** Prefix of the signature in the header, such as `sha256=`. */
  prefix?: string | undefined;
  /** Template of the signed string, with `{body}` and, if they are signed too, `{timestamp}` and `{id}`. */
  template?: string | undefined;
  timestampHeader?: string | undefined;
  idHeader?: string | undefined;
  /** Names of the parts of a header such as `t=TIME,v1=SIGNATURE`, with one timestamp and any number of signatures. */
  timePart?: string | undefined;
  signaturePart?: string | undefined;
  /** Separator that the sender writes between the parts. Both `,` and `;` are accepted. */
  separator?: ',' | ';';
  /** Formats the time as the sender does; default: whole seconds. */
  writeTime?: (ms: number) => string;
}

export function hmacScheme(shape: HmacShape): SignatureScheme {
  const { header, algorithm = 'sha256', encoding = 'hex', prefix = '', template = '{body}' } = shape;
  const { timestampHeader, idHeader, timePart, signaturePart, separator = ',' } = shape;
  const [before = '', after = ''] = template.split('{body}');
  const isBodyAlone = before === '' && after === '';
  const family: HeaderFamily = [header, ...[timestampHeader, idHeader].filter((name) => name !== undefined)];
  const hasTime = (timestampHeader ?? timePart) !== undefined;
  const digestOf = (text: string) =>
    text.startsWith(prefix) ? decodeDigest(text.slice(prefix.length), algorithm, encoding) : undefined;
  return {
    proof: 'signature',
    algorithm,
    encoding,
    families: [family],
    parseSignature: ([value = '', ...others]) => {
      const times =
        timePart === undefined ? others.slice(0, timestampHeader === undefined ? 0 : 1) : partsIn(value, timePart);
      const id = idHeader === undefined ? undefined : others.at(-1);
      const signatures = (signaturePart === undefined ? [value] : partsIn(value, signaturePart)).flatMap(
        (text) => digestOf(text) ?? [],
      );
      const [timestamp] = times;
      const sentAtMs = timestamp === undefined ? undefined : readTime(timestamp);
      // If there are two timestamps, another program might read the timestamp that is not checked here.
      const isTimed = hasTime ? times.length === 1 && sentAtMs !== undefined : true;
      return signatures.length > 0 && isTimed && id !== '' ? { signatures, timestamp, sentAtMs, id } : undefined;
    },
    messages: ({ body }, parsed) => [isBodyAlone ? [body] : [filled(before, parsed), body, filled(after, parsed)]],
    formatSignature: (signature, { timestamp, id }) => {
      const text = `${prefix}${signature}`;
      const parts = [...(timePart ? [`${timePart}=${timestamp}`] : []), `${signaturePart}=${text}`];
      const values = [timestampHeader && timestamp, idHeader && id].filter((each) => each !== undefined);
      return [signaturePart === undefined ? text : parts.join(separator), ...values];
    },
    ...(hasTime && { writeTime: shape.writeTime ?? toSeconds }),
  };
}

export const toSeconds = (ms: number) => String(Math.floor(ms / 1_000));

/** Returns the values of a part of a header, such as those of `v1` in `t=1,v1=a,v1=b`. */
function partsIn(header: string, name: string): string[] {
  return header.split(/[,;]/).flatMap((part) => {
    const [key, ...value] = part.trim().split('=');
    return key === name ? [value.join('=')] : [];
  });
}

/** Fills in the timestamp and the id. The replacement is a function, so that `$&` in a header is plain text. */
function filled(part: string, { timestamp = '', id = '' }: ParsedSignature): string {
  return part.replaceAll(/\{(timestamp|id)\}/g, (_whole, name) => (name === 'id' ? id : timestamp));
}

/**
 * Minimum number of digits of a timestamp in milliseconds. In seconds, it would be at least 3,000 years in the future.
 */
const millisecondDigits = 12;

/** Reads a time in seconds, in milliseconds, or in the format of RFC 3339. */
function readTime(text: string): number | undefined {
  if (/^\d+$/.test(text)) return readUnixTime(text, text.length >= millisecondDigits ? 1 : 1_000);
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
