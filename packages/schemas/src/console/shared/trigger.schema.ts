import { z } from 'zod';
import { id, time } from './page.schema.ts';

const trigger = {
  id,
  name: z.string(),
  mode: z.enum(['unique', 'shared', 'signature']),
  /** Kind of the signing sender, such as `github`. */
  signature: z.string().nullable(),
  /** The sender, and how it authenticates; null for a trigger without a kind of signature. */
  sender: z
    .object({
      maker: z.string(),
      is_signed: z.boolean(),
      /** True if the sender generates its secret. */
      makes_secret: z.boolean(),
    })
    .nullable(),
  /** If false, senders get 404. */
  active: z.boolean(),
  /** Path for senders below `server.public_url`: `/webhooks/trigger/…`. */
  url: z.string(),
  /** The API key with which senders authenticate, in shared mode. */
  key: z.object({ id, name: z.string(), last_four: z.string() }).nullable(),
  secret_last_four: z.string().nullable(),
  /** Expression that recognizes repeats. If null, the headers `Idempotency-Key` and `webhook-id` do. */
  repeat_key: z.string().nullable(),
  workflows: z.array(z.string()),
  last_delivery_at: time.nullable(),
  created_at: time,
  updated_at: time,
};

/** Source of each input: a field such as `payload.user.email`, or a constant. */
export const Mapping = z.record(z.string(), z.union([z.string(), z.strictObject({ const: z.unknown() })]));

export const ListedTrigger = z.object(trigger);

export const Trigger = z.object({
  ...trigger,
  /** Options of the signature kind, keyed by field name, such as `header`. */
  signature_options: z.record(z.string(), z.string()),
  /** Valid secrets, the newest first; `last_four` is null for a secret that is too short to show any of it. */
  secrets: z.array(
    z.object({
      last_four: z.string().nullable(),
      created_at: time,
      expires_at: time.nullable(),
      /** Time when a sender last authenticated with the secret, precise to about a minute. */
      last_used_at: time.nullable(),
      /** True until the secret that the sender generates is stored. */
      is_placeholder: z.boolean(),
    }),
  ),
  assignments: z.array(
    z.object({
      workflow_id: id,
      workflow: z.string(),
      inputs: Mapping,
      filter: z.string().nullable(),
      updated_at: time,
    }),
  ),
});

export type ListedTrigger = z.output<typeof ListedTrigger>;
export type Trigger = z.output<typeof Trigger>;
