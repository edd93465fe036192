import { z } from 'zod';
import { hmacScheme } from '../hmac-scheme.ts';
import type { ConfiguredKind } from '../kind.ts';
import { headerName } from '../option-fields.ts';
import { textSecret } from '../text-secret.ts';

const signedHeader = headerName.refine((name) => name !== 'authorization', 'Must not be a standard HTTP header.');

const once = (name: string) => (text: string) => text.split(name).length <= 2;

const template = z
  .string()
  .max(200, 'Must have at most 200 characters.')
  .regex(/^[\x20-\x7e]*$/, 'Must be ASCII.')
  .refine((text) => text.split('{body}').length === 2, 'Must have {body} once.')
  .refine(once('{timestamp}'), 'Must have {timestamp} at most once.')
  .refine(once('{id}'), 'Must have {id} at most once.');

const partName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,50}$/, 'Must be the name of a part: letters, digits, - and _, at most 50 characters.');

export const HmacOptions = z
  .strictObject({
    header: signedHeader,
    algorithm: z.enum(['sha1', 'sha256', 'sha512']).default('sha256'),
    encoding: z.enum(['hex', 'base64']).default('hex'),
    prefix: z
      .string()
      .max(50, 'Must have at most 50 characters.')
      .regex(/^[\x21-\x7e]*$/, 'Must be ASCII without spaces.')
      .default(''),
    template: template.default('{body}'),
    timestampHeader: signedHeader.optional(),
    idHeader: signedHeader.optional(),
    timePart: partName.optional(),
    signaturePart: partName.optional(),
  })
  .superRefine(({ header, template: text, timestampHeader, idHeader, timePart, signaturePart }, ctx) => {
    const refuse = (field: string, message: string) => ctx.addIssue({ code: 'custom', path: [field], message });
    const hasTime = (timestampHeader ?? timePart) !== undefined;
    if (text.includes('{timestamp}') !== hasTime)
      refuse('timestampHeader', `${needed('{timestamp}')}: an unsigned time proves nothing.`);
    if (timestampHeader !== undefined && timePart !== undefined)
      refuse('timePart', 'Must not be given together with the timestamp header.');
    if (timePart !== undefined && signaturePart === undefined)
      refuse('signaturePart', 'Must be given if the time is a part of the signature header.');
    if (timePart !== undefined && timePart === signaturePart)
      refuse('timePart', 'Must differ from the part of the signature.');
    if (text.includes('{id}') !== (idHeader !== undefined)) refuse('idHeader', `${needed('{id}')}.`);
    if (timestampHeader === header) refuse('timestampHeader', 'Must differ from the signature header.');
    if (idHeader !== undefined && [header, timestampHeader].includes(idHeader))
      refuse('idHeader', 'Must differ from the other headers.');
  });

const needed = (name: string) => `Must be given if the template contains ${name}, and only then`;

export type HmacOptions = z.output<typeof HmacOptions>;

/** Any other sender that signs with an HMAC, in a format that the operator configures. */
export const hmac: ConfiguredKind<HmacOptions, 'signature'> = {
  proof: 'signature',
  maker: 'Custom HMAC',
  page: 'https://www.rfc-editor.org/rfc/rfc2104',
  options: HmacOptions,
  optionTexts: {
    header: { label: 'Signature header', value: 'NAME', text: 'the header of the signature' },
    algorithm: { label: 'Algorithm', value: 'NAME', text: 'sha1, sha256 or sha512 (default: sha256)' },
    encoding: { label: 'Encoding', value: 'NAME', text: 'hex or base64 (default: hex)' },
    prefix: { label: 'Prefix', value: 'TEXT', text: 'text before the signature in its header' },
    template: {
      label: 'Signed text',
      value: 'TEXT',
      text: 'the signed text, with {body}, {timestamp} and {id} (default: {body})',
    },
    timestampHeader: {
      label: 'Timestamp header',
      value: 'NAME',
      text: 'the header of the timestamp, which must be at most 5 minutes off',
    },
    idHeader: { label: 'ID header', value: 'NAME', text: 'the header of the id' },
    timePart: {
      label: 'Time part',
      value: 'PART',
      text: 'the part of the header with the time, such as t in t=…,v1=…',
    },
    signaturePart: {
      label: 'Signature part',
      value: 'PART',
      text: 'the part of the header with the signature, such as v1 in t=…,v1=…',
    },
  },
  configure: hmacScheme,
  secret: textSecret({ isOurs: true }),
  repeatKey: null,
  setup: [
    { text: 'Open the webhooks page of the sender, and add a webhook.' },
    { text: 'URL', shows: 'url' },
    { text: 'Secret, if you can enter one there', shows: 'secret' },
    { text: 'If the sender creates the secret:', shows: 'sender_secret' },
  ],
  sample: (id) => ({
    body: {
      id,
      type: 'user.created',
      data: { email: 'ada@example.com', name: 'Ada Lovelace', company: 'Example Robotics' },
    },
  }),
};
