import { z } from 'zod';
import { expressible } from '../schemas/expressible.schema.ts';
import { stepKind } from './step-kind.ts';
import { strictObject } from '../schemas/strict-object.schema.ts';

export const loopItemsMax = 100;

export const forEach = stepKind({
  use: 'for_each',
  summary: 'Runs its steps once for each item of a list.',
  example: {
    with: { items: '${{ payload.items }}' },
    steps: [{ use: 'activity.create', with: { content: 'Ordered ${{ item.name }}' } }],
  },
  executor: 'loop',
  with: strictObject({
    items: expressible(z.array(z.unknown()).max(loopItemsMax)).meta({
      description: 'List of items to run the steps for.',
    }),
  }),
  output: 'list',
});
