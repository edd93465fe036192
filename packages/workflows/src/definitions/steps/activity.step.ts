import { customActivity } from '@relata/schemas';
import { expressibleShape } from '../schemas/expressible.schema.ts';
import { writable } from './record.step.ts';
import { stepKind } from './step-kind.ts';
import { strictObject } from '../schemas/strict-object.schema.ts';

export const activityCreate = stepKind({
  use: 'activity.create',
  executor: 'record',
  with: strictObject(expressibleShape(writable(customActivity.create.shape))),
  output: new Set(Object.keys(customActivity.record.shape)),
});
