import { z } from 'zod';
import { sourceMax } from '@relata/expressions';
import { durationText } from './duration.schema.ts';
import { Identifier } from './identifier.schema.ts';
import { Input } from './input.schema.ts';
import { stepUses } from '../steps/step-kinds.ts';
import { jointly, strictObject } from './strict-object.schema.ts';

export const inputsMax = 100;
/** Maximum number of steps of a workflow, including steps in loops. */
export const stepsMax = 100;

const Name = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_.-]{0,99}$/,
    'May contain only a-z, 0-9, "-", "_" and "." (at most 100), and must begin with one of a-z, 0-9.',
  );

const Inputs = jointly(z.record(Identifier, Input), (inputs) =>
  Object.keys(inputs).length > inputsMax ? `Must have at most ${inputsMax} inputs.` : undefined,
);

/** The keys of a definition; its steps are checked one by one. */
export const Top = strictObject({
  $schema: z.string().max(2_048).optional().meta({ description: 'For editors.' }),
  name: Name.meta({
    description: 'Name of the workflow. Applying a definition with an existing name creates a new version.',
  }),
  description: z.string().max(2_000).optional(),
  max_running: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: 'Maximum number of concurrent runs.' }),
  inputs: Inputs.optional(),
  steps: z.array(z.unknown()).min(1).meta({ description: 'Steps, executed in this order.' }),
});

const Retry = strictObject({
  max_attempts: z.number().int().min(1).max(20).optional(),
  initial_delay: durationText('7d')
    .optional()
    .meta({ description: 'Delay before the second attempt; doubled for each further attempt.' }),
  max_delay: durationText('7d').optional(),
}).meta({ id: 'Retry', description: 'How a failed step is retried.' });

/** The keys of every step; the schema of `with` depends on the kind of step. */
export const stepShape = {
  id: Identifier.meta({ description: 'Later steps read its output as `steps.<id>`.' }),
  use: z.enum(stepUses),
  with: z.unknown(),
  when: z
    .string()
    .max(sourceMax)
    .optional()
    .meta({ description: 'An expression without ${{ }}. If it is false, the step is skipped.' }),
  retry: Retry.optional(),
  timeout: durationText('5m', { isZeroAllowed: false })
    .optional()
    .meta({ description: 'Time limit of one attempt; 10s by default.' }),
  on_error: z.enum(['fail', 'continue']).optional().meta({
    description: 'With `continue`, if the last attempt of the step fails, the run continues without its output.',
  }),
};

export const StepFrame = strictObject({ ...stepShape, steps: z.array(z.unknown()).min(1).optional() });
