import { z } from 'zod';
import { github } from './kinds/github.ts';
import { hmac, HmacOptions } from './kinds/hmac.ts';
import { hubspot } from './kinds/hubspot.ts';
import { shopify } from './kinds/shopify.ts';
import { slack } from './kinds/slack.ts';
import { standardWebhooks } from './kinds/standard-webhooks.ts';
import { stripe } from './kinds/stripe.ts';
import type { SignatureKind } from './signature-kind.ts';

const fixed = { 'standard-webhooks': standardWebhooks, github, stripe, shopify, slack, hubspot } as const;

const fixedKinds = Object.keys(fixed) as (keyof typeof fixed)[];

export const signatureKinds = [...fixedKinds, 'hmac'] as const;
export type SignatureKindName = (typeof signatureKinds)[number];

/** How a trigger's sender signs, in requests and in the database. */
export const SignatureSpec = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(fixedKinds) }),
  z.strictObject({ kind: z.literal('hmac'), options: HmacOptions }),
]);
export type SignatureSpec = z.output<typeof SignatureSpec>;

export function findSignatureKind(spec: SignatureSpec): SignatureKind {
  return spec.kind === 'hmac' ? hmac(spec.options) : fixed[spec.kind];
}

/**
 * Expression with the same value for every repeat of an event, unless an operator sets another. Undefined if senders of
 * the kind have none in common.
 */
export const repeatKeyOfKind: Record<SignatureKindName, string | undefined> = {
  'standard-webhooks': 'delivery.headers["webhook-id"]',
  github: 'delivery.headers["x-github-delivery"]',
  stripe: 'payload.id',
  shopify: 'delivery.headers["x-shopify-webhook-id"]',
  slack: 'payload.event_id',
  hubspot: undefined,
  hmac: undefined,
};
