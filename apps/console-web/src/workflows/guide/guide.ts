import guide from './guide.json' with { type: 'json' };

interface StepExample {
  with: Readonly<Record<string, unknown>>;
  steps?: readonly (StepExample & { use: string })[];
}

/** A kind of step, as `packages/workflows` declares it. */
export interface GuideStep {
  use: string;
  summary: string;
  fields: readonly { path: string; type: string; isRequired: boolean; description: string }[];
  /** Members of its output; empty if that is a list. */
  output: readonly string[];
  example: StepExample;
}

export interface GuideExample {
  name: string;
  description?: string;
}

export const guideSteps: readonly GuideStep[] = guide.steps;

/** Whole definitions, those of `examples/`. */
export const guideExamples: readonly GuideExample[] = guide.examples;
