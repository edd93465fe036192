import { CustomActivity, CustomActivityCreate } from '@relata/schemas';
import { expressibleShape } from '../expressible.schema.ts';
import { writable } from './record.step.ts';
import { stepKind } from './step-kind.ts';
import { strictObject } from '../strict-object.schema.ts';

export const activityCreate = stepKind({
  use: 'activity.create',
  run: 'record',
  with: strictObject(expressibleShape(writable(CustomActivityCreate.shape))),
  output: new Set(Object.keys(CustomActivity.shape)),
});
