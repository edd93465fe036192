import type { StepExecutor } from './steps/step-kind.ts';

const networkAttempts = 5;

/** Returns the given number of attempts, or the default: only steps that call another system are retried. */
export function maxAttemptsOf(executor: StepExecutor | undefined, given: number | undefined): number {
  return given ?? (executor === 'network' ? networkAttempts : 1);
}
