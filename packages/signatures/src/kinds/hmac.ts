import { z } from 'zod';
import { decodeDigest, readUnixTime, textSecret } from '../encodings.ts';
import type { Claim, Message, SignatureKind } from '../signature-kind.ts';

/** Headers that cannot carry a signature: they authenticate elsewhere, or belong to the connection. */
const taken =
  /^(authorization|cookie|host|connection|content-(length|type|encoding)|transfer-encoding|expect|upgrade)$/;

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, 'Must be the name of a header: letters, digits, - and _.')
  .transform((name) => name.toLowerCase())
  .refine((name) => !taken.test(name), 'Must not be a standard HTTP header.');

const template = z
  .string()
  .max(200, 'Must have at most 200 characters.')
  .regex(/^[\x20-\x7e]*$/, 'Must be ASCII.')
  .refine((text) => text.split('{body}').length === 2, 'Must have {body} once.')
  .refine((text) => text.split('{timestamp}').length <= 2, 'Must have {timestamp} at most once.');

/** Signature options for a sender that is none of the known kinds. */
export const HmacOptions = z
  .strictObject({
    header: headerName,
    algorithm: z.enum(['sha1', 'sha256', 'sha512']).default('sha256'),
    encoding: z.enum(['hex', 'base64']).default('hex'),
    /** Text before the signature in its header. */
    prefix: z
      .string()
      .max(50, 'Must have at most 50 characters.')
      .regex(/^[\x21-\x7e]*$/, 'Must be ASCII without spaces.')
      .default(''),
    /** Signed text, with `{body}` and, if there is a time, `{timestamp}`. */
    template: template.default('{body}'),
    timestampHeader: headerName.optional(),
  })
  .refine(({ template: text, timestampHeader }) => text.includes('{timestamp}') === (timestampHeader !== undefined), {
    path: ['timestampHeader'],
    message: 'Must be given if the template contains {timestamp}, and only then: an unsigned time proves nothing.',
  })
  .refine(({ header, timestampHeader }) => header !== timestampHeader, {
    path: ['timestampHeader'],
    message: 'Must differ from the signature header.',
  });

export type HmacOptions = z.output<typeof HmacOptions>;

/** Digits from which a time is in milliseconds: in seconds it would be 30,000 years away. */
const millisecondDigits = 12;

export function hmac({ header, algorithm, encoding, prefix, template: text, timestampHeader }: HmacOptions) {
  const [before = '', after = ''] = text.split('{body}');
  const hasTime = timestampHeader !== undefined;
  const kind: SignatureKind = {
    algorithm,
    encoding,
    headers: hasTime ? [header, timestampHeader] : [header],
    readClaim: ([value = '', timestamp]) => {
      const digest = value.startsWith(prefix)
        ? decodeDigest(value.slice(prefix.length), algorithm, encoding)
        : undefined;
      if (!digest || timestamp === undefined) return digest && { signatures: [digest] };
      const sentAtMs = readTime(timestamp);
      return sentAtMs === undefined ? undefined : { signatures: [digest], timestamp, sentAtMs };
    },
    messages: ({ body }, claim) => [[filled(before, claim), body, filled(after, claim)] satisfies Message],
    writeClaim: (signature, { timestamp }) => [`${prefix}${signature}`, ...(hasTime ? [timestamp!] : [])],
    ...(hasTime && { writeTime: (ms: number) => String(Math.floor(ms / 1_000)) }),
    secret: textSecret(true),
  };
  return kind;
}

/** Fills in the timestamp. The replacement is a function, so that `$&` in a header is plain text. */
function filled(part: string, { timestamp = '' }: Claim): string {
  return part.replace('{timestamp}', () => timestamp);
}

/** Reads a time in seconds, in milliseconds, or in the format of RFC 3339. */
function readTime(text: string): number | undefined {
  if (/^\d+$/.test(text)) return readUnixTime(text, text.length >= millisecondDigits ? 1 : 1_000);
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
