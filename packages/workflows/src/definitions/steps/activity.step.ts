import { customActivity } from '@relata/schemas';
import { expressibleShape } from '../schemas/expressible.schema.ts';
import { writable } from './record.step.ts';
import { stepKind } from './step-kind.ts';
import { strictObject } from '../schemas/strict-object.schema.ts';

export const activityCreate = stepKind({
  use: 'activity.create',
  summary: 'Adds an activity to the timeline of contacts and opportunities.',
  example: { with: { content: 'Form sent by ${{ payload.email }}', source: 'webhook', direction: 'inbound' } },
  executor: 'record',
  with: strictObject(expressibleShape(writable(customActivity.create.shape))),
  output: new Set(Object.keys(customActivity.record.shape)),
});
