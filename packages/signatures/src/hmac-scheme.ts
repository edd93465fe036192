import { decodeDigest, readUnixTime } from './encodings.ts';
import type { Algorithm, Claim, Encoding, HeaderFamily, SignatureScheme } from './scheme.ts';

/** An HMAC of the body, or of a text that contains it. */
export interface HmacShape {
  header: string;
  algorithm?: Algorithm | undefined;
  encoding?: Encoding | undefined;
  /** Text before the signature. */
  prefix?: string | undefined;
  /** Signed text, with `{body}` and, if there are any, `{timestamp}` and `{id}`. */
  template?: string | undefined;
  timestampHeader?: string | undefined;
  /** Formats the time for the header; default: whole seconds. */
  writeTime?: (ms: number) => string;
}

/** Creates the scheme of a sender that signs with an HMAC. */
export function hmacScheme(shape: HmacShape): SignatureScheme {
  const { header, algorithm = 'sha256', encoding = 'hex', prefix = '', template = '{body}', timestampHeader } = shape;
  const [before = '', after = ''] = template.split('{body}');
  const hasTime = timestampHeader !== undefined;
  const family: HeaderFamily = hasTime ? [header, timestampHeader] : [header];
  return {
    way: 'signs',
    algorithm,
    encoding,
    families: [family],
    readClaim: ([value = '', timestamp]) => {
      const digest = value.startsWith(prefix)
        ? decodeDigest(value.slice(prefix.length), algorithm, encoding)
        : undefined;
      if (!digest || timestamp === undefined) return digest && { signatures: [digest] };
      const sentAtMs = readTime(timestamp);
      return sentAtMs === undefined ? undefined : { signatures: [digest], timestamp, sentAtMs };
    },
    messages: ({ body }, claim) => [[filled(before, claim), body, filled(after, claim)]],
    writeClaim: (signature, { timestamp }) => [`${prefix}${signature}`, ...(hasTime ? [timestamp!] : [])],
    ...(hasTime && { writeTime: shape.writeTime ?? toSeconds }),
  };
}

export const toSeconds = (ms: number) => String(Math.floor(ms / 1_000));

/** Fills in the timestamp. The replacement is a function, so that `$&` in a header is plain text. */
function filled(part: string, { timestamp = '' }: Claim): string {
  return part.replace('{timestamp}', () => timestamp);
}

/** Digits from which a time is in milliseconds: in seconds it would be 30,000 years away. */
const millisecondDigits = 12;

/** Reads a time in seconds, in milliseconds, or in the format of RFC 3339. */
function readTime(text: string): number | undefined {
  if (/^\d+$/.test(text)) return readUnixTime(text, text.length >= millisecondDigits ? 1 : 1_000);
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
