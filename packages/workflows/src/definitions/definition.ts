import type { InputType } from '@relata/expressions';
import type { StepUse } from './steps/step-kinds.ts';

/** A typed input of a workflow. An input with a default always has a value. */
export interface InputSpec {
  type: InputType;
  format?: InputFormat | undefined;
  required?: boolean | undefined;
  default?: unknown;
  description?: string | undefined;
}

export type InputFormat = 'email' | 'uri' | 'uuid' | 'date-time';

/** A step as its author wrote it. */
export interface StepDefinition {
  id: string;
  use: StepUse;
  with: unknown;
  when?: string | undefined;
  retry?: RetryDefinition | undefined;
  timeout?: string | undefined;
  on_error?: 'fail' | 'continue' | undefined;
  steps?: StepDefinition[] | undefined;
}

interface RetryDefinition {
  max_attempts?: number | undefined;
  initial_delay?: string | undefined;
  max_delay?: string | undefined;
}

/** A valid definition of a workflow as its author wrote it. */
export interface Definition {
  name: string;
  description?: string | undefined;
  max_running?: number | undefined;
  inputs: Record<string, InputSpec>;
  steps: StepDefinition[];
}
