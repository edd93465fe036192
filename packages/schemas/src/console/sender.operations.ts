import { z } from 'zod';
import { consoleOperation } from './shared/console-operation.ts';

const Setup = z.array(
  z.object({
    text: z.string(),
    /** Value to copy to the sender; `sender_secret` comes from the sender and is entered here. */
    shows: z.enum(['url', 'secret', 'sender_secret']).optional(),
    /** Any other value to enter there. */
    value: z.string().optional(),
  }),
);

const Sender = z.object({
  kind: z.string(),
  /** True if the sender generates its secret, which must then be given. */
  makes_secret: z.boolean(),
  secret_rule: z.string(),
  /** Default expression that recognizes repeats. */
  repeat_key: z.string().nullable(),
  /** True if `header` and the fields after it describe how the sender signs. */
  has_options: z.boolean(),
  setup: Setup,
});

export type Sender = z.output<typeof Sender>;

export const listSenders = consoleOperation('get', '/orgs/{org}/senders', {
  permission: 'read',
  success: {
    status: 200,
    body: z.object({
      data: z.array(Sender),
      /** Steps for a sender that sends a secret in a header. */
      header_setup: Setup,
      /** True if `SIGNING_KEYS` is set, so that secrets can be stored. */
      is_ready: z.boolean(),
    }),
  },
});
