import { longText } from '@relata/schemas';
import { expressible } from '../schemas/expressible.schema.ts';
import { stepKind } from './step-kind.ts';
import { strictObject } from '../schemas/strict-object.schema.ts';

export const channelPost = stepKind({
  use: 'channel.post',
  summary: 'Posts a message to the team channel.',
  example: { with: { text: 'New lead: ${{ payload.email }}' } },
  executor: 'network',
  with: strictObject({
    text: expressible(longText(1)).meta({ description: 'Text of the message to the team channel.' }),
  }),
  output: new Set(['ok']),
});
