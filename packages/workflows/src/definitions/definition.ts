import type { z } from 'zod';
import type { InputSpec } from './input-value.ts';
import type { StepFrame, Top } from './schemas/definition.schema.ts';

/** A step as its author wrote it. */
export type StepDefinition = Omit<z.output<typeof StepFrame>, 'steps'> & { steps?: StepDefinition[] | undefined };

/** A valid definition of a workflow as its author wrote it. */
export type Definition = Omit<z.output<typeof Top>, '$schema' | 'inputs' | 'steps'> & {
  inputs: Record<string, InputSpec>;
  steps: StepDefinition[];
};
