import { z } from 'zod';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';

const Setup = z
  .array(
    z.object({
      text: z.string(),
      shows: z.enum(['url', 'secret', 'sender_secret']).optional().meta({
        description: 'What goes into the sender; `sender_secret` comes from it and is entered here.',
      }),
      value: z.string().optional().meta({ description: 'Any other value to enter there.' }),
    }),
  )
  .meta({ description: 'The steps by which a person connects the sender.' });

const Sender = z.object({
  kind: z.string(),
  makes_secret: z.boolean().meta({ description: 'Whether the sender makes its secret, so that it has to be given.' }),
  secret_rule: z.string().meta({ description: 'What a secret that is given has to be.' }),
  repeat_key: z.string().nullable().meta({ description: 'By what its repeats are recognized unless a trigger says.' }),
  has_options: z.boolean().meta({ description: 'Whether `header` and what follows it say how it signs.' }),
  setup: Setup,
});

export type Sender = z.output<typeof Sender>;

export const listSenders = operation({
  id: 'listSenders',
  method: 'get',
  path: `${orgPath}/senders`,
  summary: 'List the kinds of senders that sign',
  permission: 'read',
  params: pathOrg,
  success: {
    status: 200,
    description: 'All kinds.',
    body: z.object({
      data: z.array(Sender),
      header_setup: Setup.meta({ description: 'The same for a sender that sends a secret in a header.' }),
      is_ready: z.boolean().meta({ description: 'Whether their secrets can be kept: `SIGNING_KEYS` is set.' }),
    }),
  },
});
