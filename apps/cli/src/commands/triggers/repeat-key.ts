import { nameText } from '@relata/schemas';
import { changeTrigger } from '@relata/workflows';
import { z } from 'zod';
import { command } from '../../command/command.ts';
import { hinted } from '../../output/operation.error.ts';
import { value } from '../../command/parameter.ts';
import { readVerifyToken, signatureLabels, verifyTokenFile } from './signature-options.ts';
import { triggerArgument } from './trigger-reference.ts';

export const repeatKeyLabel = { repeatKey: '--repeat-key' };

export const repeatKey = value(
  'EXPR',
  z.string(),
  'Expression in CEL on payload and delivery.headers; posts with the same value are one delivery ' +
    '(default: the repeat key of the kind of sender, else the headers Idempotency-Key and webhook-id)',
);

export const update = command({
  name: 'update',
  summary: 'Rename a trigger, or change its repeat key or verify token',
  arguments: { trigger: triggerArgument },
  options: {
    name: value('NAME', nameText().optional(), 'Name'),
    repeat_key: {
      ...repeatKey,
      schema: repeatKey.schema.optional(),
      description: `${repeatKey.description}; '' to use these headers`,
    },
    verify_token_file: verifyTokenFile,
  },
  examples: ['triggers update TRIGGER_ID --name "Web form"', 'triggers update TRIGGER_ID --repeat-key payload.id'],
  check: ({ name, repeat_key: source, verify_token_file: file }) =>
    (name ?? source ?? file) === undefined ? 'Give --name, --repeat-key or --verify-token-file.' : undefined,
  run: async (context, { trigger: { id, org_id: orgId }, name, repeat_key: source, verify_token_file: file }) => {
    const verifyToken = await readVerifyToken(file);
    const repeat = source === undefined ? {} : { repeatKey: source || null };
    const change = changeTrigger(context, context.actorIn(orgId), { id, name, verifyToken, ...repeat });
    return hinted(change, {}, { ...signatureLabels, ...repeatKeyLabel });
  },
});
