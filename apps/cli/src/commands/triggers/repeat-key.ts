import { nameText } from '@relata/schemas';
import { changeTrigger } from '@relata/workflows';
import { z } from 'zod';
import { command } from '../../command/command.ts';
import { hinted } from '../../output/operation.error.ts';
import { value } from '../../command/parameter.ts';
import { triggerArgument } from './trigger-reference.ts';

export const repeatKeyLabel = { repeatKey: '--repeat-key' };

export const repeatKey = value(
  'EXPR',
  z.string(),
  'Expression in CEL on payload and delivery.headers; posts with the same value are one delivery ' +
    '(default: that of the signature, else the headers Idempotency-Key and webhook-id)',
);

export const update = command({
  name: 'update',
  summary: 'Rename a trigger, or change how it recognizes repeated deliveries',
  arguments: { trigger: triggerArgument },
  options: {
    name: value('NAME', nameText().optional(), 'Name'),
    repeat_key: {
      ...repeatKey,
      schema: repeatKey.schema.optional(),
      description: `${repeatKey.description}; '' for these headers`,
    },
  },
  examples: ['triggers update TRIGGER_ID --name "Web form"', 'triggers update TRIGGER_ID --repeat-key payload.id'],
  check: ({ name, repeat_key: source }) =>
    name === undefined && source === undefined ? 'Give --name or --repeat-key.' : undefined,
  run: (context, { trigger: { id, org_id: orgId }, name, repeat_key: source }) => {
    const repeat = source === undefined ? {} : { repeatKey: source || null };
    const change = changeTrigger(context, context.actorIn(orgId), { id, name, ...repeat });
    return hinted(change, {}, repeatKeyLabel);
  },
});
