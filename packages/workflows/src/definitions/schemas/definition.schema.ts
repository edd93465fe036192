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
    'Must be 1 to 100 of a-z, 0-9, "-", "_" and ".", and begin with one of a-z, 0-9.',
  );

const Inputs = jointly(z.record(Identifier, Input), (inputs) =>
  Object.keys(inputs).length > inputsMax ? `Must have at most ${inputsMax} inputs.` : undefined,
);

/** The keys of a definition; its steps are checked one by one. */
export const Top = strictObject({
  $schema: z.string().max(2_048).optional().meta({ description: 'For editors.' }),
  name: Name.meta({ description: 'What the workflow is known by; applying the name again makes a new version.' }),
  description: z.string().max(2_000).optional(),
  max_running: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: 'How many runs may be at work at the same time.' }),
  inputs: Inputs.optional(),
  steps: z.array(z.unknown()).min(1).meta({ description: 'What is done, one after the other.' }),
});

const Retry = strictObject({
  max_attempts: z.number().int().min(1).max(20).optional(),
  initial_delay: durationText('7d').optional().meta({ description: 'Before the second attempt; doubled each time.' }),
  max_delay: durationText('7d').optional(),
}).meta({ id: 'Retry', description: 'How a failing step is tried again.' });

/** The keys of every step; the schema of `with` depends on the kind of step. */
export const stepShape = {
  id: Identifier.meta({ description: 'Later steps read its output as `steps.<id>`.' }),
  use: z.enum(stepUses),
  with: z.unknown(),
  when: z
    .string()
    .max(sourceMax)
    .optional()
    .meta({ description: 'An expression, without ${{ }}; the step is skipped where it is false.' }),
  retry: Retry.optional(),
  timeout: durationText('5m', { isZeroAllowed: false })
    .optional()
    .meta({ description: 'Of one attempt; 10s if not given.' }),
  on_error: z
    .enum(['fail', 'continue'])
    .optional()
    .meta({ description: '`continue` goes on without the output of the step after its last attempt.' }),
};

export const StepFrame = strictObject({ ...stepShape, steps: z.array(z.unknown()).min(1).optional() });
