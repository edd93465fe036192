import { z } from 'zod';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';

const Sender = z.object({
  kind: z.string(),
  makes_secret: z.boolean().meta({ description: 'Whether the sender makes its secret, so that it has to be given.' }),
  secret_rule: z.string().meta({ description: 'What a secret that is given has to be.' }),
  repeat_key: z.string().nullable().meta({ description: 'By what its repeats are recognized unless a trigger says.' }),
  has_options: z.boolean().meta({ description: 'Whether `header` and what follows it say how it signs.' }),
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
      is_ready: z.boolean().meta({ description: 'Whether their secrets can be kept: `SIGNING_KEYS` is set.' }),
    }),
  },
});
