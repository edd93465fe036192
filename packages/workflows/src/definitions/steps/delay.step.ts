import { parseDurationMs } from '@relata/runtime';
import { instant } from '@relata/schemas';
import { durationText } from '../schemas/duration.schema.ts';
import { expressible } from '../schemas/expressible.schema.ts';
import { stepKind } from './step-kind.ts';
import { jointly, strictObject } from '../schemas/strict-object.schema.ts';

const delayMax = '365d';

export const delayMaxMs = parseDurationMs(delayMax)!;

const wait = strictObject({
  for: expressible(durationText(delayMax)).optional().meta({ description: 'Duration to wait, like 10s or 2h.' }),
  until: expressible(instant()).optional().meta({ description: 'Time at which the run continues.' }),
});

export const delay = stepKind({
  use: 'delay',
  summary: 'Pauses the run for a duration or until a time.',
  example: { with: { for: '1h' } },
  executor: 'timer',
  with: jointly(wait, (value) =>
    (value['for'] === undefined) === (value['until'] === undefined)
      ? 'Must have exactly one of for and until.'
      : undefined,
  ),
  output: new Set(['woke_at']),
});
