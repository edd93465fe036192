import { accountSteps } from './account.step.ts';
import { activityCreate } from './activity.step.ts';
import { channelPost } from './channel.step.ts';
import { contactSteps } from './contact.step.ts';
import { delay } from './delay.step.ts';
import { forEach } from './for-each.step.ts';
import { httpRequest } from './http.step.ts';
import { opportunitySteps } from './opportunity.step.ts';
import type { StepExecutor, StepKind } from './step-kind.ts';

const all = [
  ...accountSteps,
  ...contactSteps,
  ...opportunitySteps,
  activityCreate,
  httpRequest,
  channelPost,
  delay,
  forEach,
] as const;

/** Names of the kinds of step that an executor runs. A map with these keys must implement every kind. */
export type StepUseOf<Executor extends StepExecutor> = Extract<(typeof all)[number], { executor: Executor }>['use'];

export type StepUse = StepUseOf<StepExecutor>;

export const stepKinds: readonly StepKind<StepUse>[] = all;

const byUse = new Map<unknown, StepKind<StepUse>>(stepKinds.map((kind) => [kind.use, kind]));

export function findStepKind(use: unknown): StepKind<StepUse> | undefined {
  return byUse.get(use);
}

export const stepUses = stepKinds.map(({ use }) => use);

/** Kinds of step that call another system. */
export const networkUses = stepKinds.filter(({ executor }) => executor === 'network').map(({ use }) => use);
