import { z } from 'zod';
import type { Described, OptionText, SenderKind } from './kind.ts';
import { calendly } from './kinds/calendly.ts';
import { github } from './kinds/github.ts';
import { hmac } from './kinds/hmac.ts';
import { hubspot } from './kinds/hubspot.ts';
import { intercom } from './kinds/intercom.ts';
import { linear } from './kinds/linear.ts';
import { meta } from './kinds/meta.ts';
import { paddle } from './kinds/paddle.ts';
import { shopify } from './kinds/shopify.ts';
import { slack } from './kinds/slack.ts';
import { standardWebhooks } from './kinds/standard-webhooks.ts';
import { stripe } from './kinds/stripe.ts';
import { typeform } from './kinds/typeform.ts';
import { zendesk } from './kinds/zendesk.ts';
import { zoom } from './kinds/zoom.ts';

const fixed = {
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
} as const;
const configured = { hmac } as const;

const kinds = { ...fixed, ...configured };
const fixedNames = Object.keys(fixed) as (keyof typeof fixed)[];

export type SignatureKindName = keyof typeof kinds;
/** Name of a kind whose senders sign. */
export type SignedKindName = SignatureKindName;
/** Name of an option of any kind. */
export type OptionField = keyof (typeof configured)[keyof typeof configured]['optionTexts'];
export const signatureKinds = Object.keys(kinds) as SignatureKindName[];

/** How a trigger's sender signs, in requests and in the database. */
export const SignatureSpec = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(fixedNames) }),
  z.strictObject({ kind: z.literal('hmac'), options: hmac.options.prefault({} as z.input<typeof hmac.options>) }),
]);
export type SignatureSpec = z.output<typeof SignatureSpec>;

/** Returns a kind as configured. Throws for a kind that this release does not know. */
export function findSignatureKind(spec: SignatureSpec): SenderKind {
  if (spec.kind === 'hmac') return { ...hmac, ...hmac.configure(spec.options) };
  return orUnknown(fixed[spec.kind], spec.kind);
}

/** Returns the parts of a kind that do not depend on its options. */
export function describeKind(name: SignatureKindName): Described & { optionTexts?: Record<string, OptionText> } {
  return orUnknown(kinds[name], name);
}

function orUnknown<Kind>(kind: Kind | undefined, name: string): Kind {
  if (kind) return kind;
  throw new TypeError(`This release does not know the kind of sender ${name}.`);
}
