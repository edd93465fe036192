import { z } from 'zod';
import { consoleOperation } from './shared/console-operation.ts';

const Setup = z.array(
  z.object({
    text: z.string(),
    /** Value to copy to the sender; `sender_secret` comes from the sender and is entered here. */
    shows: z.enum(['url', 'secret', 'sender_secret', 'verify_token', 'option']).optional(),
    /** Name of the option to show. */
    option: z.string().optional(),
    /** Any other value to enter at the sender. */
    value: z.string().optional(),
  }),
);

const Sender = z.object({
  kind: z.string(),
  /** Name of the sender, such as `GitHub`. */
  maker: z.string(),
  /** URL of the maker's documentation. */
  page: z.string(),
  /** False if the sender sends its secret in every post. `SIGNING_KEYS` is then not needed. */
  is_signed: z.boolean(),
  /** Risk to show with a sender that does not sign. */
  warning: z.string().nullable(),
  /** True if the sender generates its secret, which must then be given. */
  makes_secret: z.boolean(),
  secret_rule: z.string(),
  /** Default expression that recognizes repeats. */
  repeat_key: z.string().nullable(),
  /** True if the maker checks the URL with a verify token, which is shown once. */
  has_verify_token: z.boolean(),
  /** The fields of a new trigger that only this kind has, with their meaning. */
  options: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      text: z.string(),
      is_required: z.boolean(),
      /** Permitted values, the default first; empty if it is free text. */
      choices: z.array(z.string()),
      default: z.string().nullable(),
    }),
  ),
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
