import { z } from 'zod';
import type { Described, OptionText, UnsignedKind, SenderKind, SignedKind } from './kind.ts';
import { basic, BasicOptions } from './kinds/basic.ts';
import { bearer } from './kinds/bearer.ts';
import { calendly } from './kinds/calendly.ts';
import { github } from './kinds/github.ts';
import { header, HeaderOptions } from './kinds/header.ts';
import { hmac, HmacOptions } from './kinds/hmac.ts';
import { hubspot } from './kinds/hubspot.ts';
import { intercom } from './kinds/intercom.ts';
import { linear } from './kinds/linear.ts';
import { meta } from './kinds/meta.ts';
import { paddle } from './kinds/paddle.ts';
import { query, QueryOptions } from './kinds/query.ts';
import { shopify } from './kinds/shopify.ts';
import { slack } from './kinds/slack.ts';
import { standardWebhooks } from './kinds/standard-webhooks.ts';
import { stripe } from './kinds/stripe.ts';
import { typeform } from './kinds/typeform.ts';
import { zendesk } from './kinds/zendesk.ts';
import { zoom } from './kinds/zoom.ts';

export const signingKinds = {
  github,
  stripe,
  shopify,
  slack,
  hubspot,
  meta,
  zoom,
  calendly,
  paddle,
  typeform,
  linear,
  intercom,
  zendesk,
  'standard-webhooks': standardWebhooks,
} as const satisfies Record<string, SignedKind>;
const unsigned = { bearer } as const satisfies Record<string, UnsignedKind>;
const configured = { hmac, basic, header, query } as const;

const kinds = { ...signingKinds, ...configured, ...unsigned };
const signingNames = Object.keys(signingKinds) as (keyof typeof signingKinds)[];

export type SignatureKindName = keyof typeof kinds;
export const signatureKinds = Object.keys(kinds) as SignatureKindName[];

/** Name of a kind whose senders sign. */
export type SignedKindName = keyof typeof signingKinds | 'hmac';

type Configured = typeof configured;
/** Name of an option of any kind. */
export type OptionField = { [Name in keyof Configured]: keyof Configured[Name]['optionTexts'] }[keyof Configured];

/** Specification of how a trigger's sender authenticates, in requests and in the database. */
export const SignatureSpec = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(signingNames) }),
  z.strictObject({ kind: z.literal('hmac'), options: optional(HmacOptions) }),
  z.strictObject({ kind: z.literal('basic'), options: optional(BasicOptions) }),
  z.strictObject({ kind: z.literal('header'), options: optional(HeaderOptions) }),
  z.strictObject({ kind: z.literal('query'), options: optional(QueryOptions) }),
  z.strictObject({ kind: z.literal('bearer') }),
]);
export type SignatureSpec = z.output<typeof SignatureSpec>;

/** Reads missing options like empty ones, so that the error names a required option. */
function optional<Options extends z.ZodType>(options: Options) {
  return options.prefault({} as z.input<Options> & {});
}

type SignedSpec = Extract<SignatureSpec, { kind: SignedKindName }>;

/** Returns a kind as configured. Throws for a kind that this release does not know. */
export function findSignatureKind(spec: SignedSpec): SignedKind;
export function findSignatureKind(spec: SignatureSpec): SenderKind;
export function findSignatureKind(spec: SignatureSpec): SenderKind {
  switch (spec.kind) {
    case 'hmac':
      return { ...hmac, ...hmac.configure(spec.options) };
    case 'basic':
      return { ...basic, ...basic.configure(spec.options) };
    case 'header':
      return { ...header, ...header.configure(spec.options) };
    case 'query':
      return { ...query, ...query.configure(spec.options) };
    case 'bearer':
      return bearer;
    default:
      return orUnknown(signingKinds[spec.kind], spec.kind);
  }
}

/** The parts of a kind that do not depend on its options. */
export interface DescribedKind extends Described {
  proof: SenderKind['proof'];
  warning?: string;
  options?: z.ZodType;
  optionTexts?: Record<string, OptionText>;
}

export function describeKind(name: SignatureKindName): DescribedKind {
  return orUnknown(kinds[name], name);
}

function orUnknown<Kind>(kind: Kind | undefined, name: string): Kind {
  if (kind) return kind;
  throw new TypeError(`This release does not know the kind of sender ${name}.`);
}
