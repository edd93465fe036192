import type { StepExecutor } from './steps/step-kind.ts';

const networkAttempts = 5;

/** Only what depends on another system is tried again unless the definition says so. */
export function maxAttemptsOf(executor: StepExecutor | undefined, given: number | undefined): number {
  return given ?? (executor === 'network' ? networkAttempts : 1);
}
