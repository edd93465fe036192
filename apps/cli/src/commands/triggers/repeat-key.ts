import { setTriggerRepeatKey } from '@relata/workflows';
import { z } from 'zod';
import { command } from '../../command/command.ts';
import { hinted } from '../../output/operation.error.ts';
import { value } from '../../command/parameter.ts';
import { requireTrigger, triggerArgument } from './trigger-reference.ts';

export const repeatKeyLabel = { repeatKey: '--repeat-key' };

export const repeatKey = value(
  'EXPR',
  z.string(),
  'Expression in CEL on payload and delivery.headers; posts with the same value are one delivery ' +
    '(default: that of the signature, else the headers Idempotency-Key and webhook-id)',
);

export const update = command({
  name: 'update',
  summary: 'Change by what a trigger recognizes repeats',
  arguments: { trigger: triggerArgument },
  options: {
    repeat_key: { ...repeatKey, description: `${repeatKey.description}; '' for these headers` },
  },
  examples: ['triggers update TRIGGER_ID --repeat-key payload.id'],
  run: async (context, { trigger: id, repeat_key: source }) => {
    const { org_id: orgId } = await requireTrigger(context.database, id);
    const change = setTriggerRepeatKey(context, context.actorIn(orgId), { id, repeatKey: source || null });
    return { ...(await hinted(change, {}, repeatKeyLabel)) };
  },
});
