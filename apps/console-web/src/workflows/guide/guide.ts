import guide from './guide.json' with { type: 'json' };

interface StepExample {
  with: Readonly<Record<string, unknown>>;
  steps?: readonly (StepExample & { use: string })[];
}

/** A kind of step, with the documentation from `packages/workflows`. */
export interface GuideStep {
  use: string;
  summary: string;
  fields: readonly { path: string; type: string; isRequired: boolean; description: string }[];
  /** Names of the members of its output; empty if the output is a list. */
  output: readonly string[];
  example: StepExample;
}

export interface GuideExample {
  name: string;
  description?: string;
}

export const guideSteps: readonly GuideStep[] = guide.steps;

/** Complete definitions, from `examples/`. */
export const guideExamples: readonly GuideExample[] = guide.examples;
