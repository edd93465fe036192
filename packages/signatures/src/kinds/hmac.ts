import { z } from 'zod';
import { textSecret } from '../encodings.ts';
import { hmacScheme } from '../hmac-scheme.ts';
import type { ConfiguredKind } from '../kind.ts';

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

export const HmacOptions = z
  .strictObject({
    header: headerName,
    algorithm: z.enum(['sha1', 'sha256', 'sha512']).default('sha256'),
    encoding: z.enum(['hex', 'base64']).default('hex'),
    prefix: z
      .string()
      .max(50, 'Must have at most 50 characters.')
      .regex(/^[\x21-\x7e]*$/, 'Must be ASCII without spaces.')
      .default(''),
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

/** A sender that is none of the known kinds. */
export const hmac: ConfiguredKind<HmacOptions> = {
  maker: 'Custom HMAC',
  page: 'https://www.rfc-editor.org/rfc/rfc2104',
  options: HmacOptions,
  optionTexts: {
    header: { value: 'NAME', text: 'the header of the signature' },
    algorithm: { value: 'NAME', text: 'sha1, sha256 or sha512 (default: sha256)' },
    encoding: { value: 'NAME', text: 'hex or base64 (default: hex)' },
    prefix: { value: 'TEXT', text: 'text before the signature in its header' },
    template: { value: 'TEXT', text: 'template of the signed text, with {body} and {timestamp} (default: {body})' },
    timestampHeader: { value: 'NAME', text: 'the header of the timestamp, which must be at most 5 minutes off' },
  },
  configure: hmacScheme,
  secret: textSecret({ isOurs: true }),
  repeatKey: null,
  challenge: null,
  setup: [
    { text: 'Open the webhooks page of the sender, and add one.' },
    { text: 'URL', shows: 'url' },
    { text: 'Secret, if you can enter one there', shows: 'secret' },
    { text: 'If the sender creates the secret:', shows: 'sender_secret' },
  ],
  sample: (id) => ({ body: { id, type: 'test' }, headers: {} }),
};
