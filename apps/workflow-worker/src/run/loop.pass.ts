import { readItems } from '../steps/loop.step.ts';
import { outputTooLarge } from '../steps/step.error.ts';
import type { Visited } from './execution.ts';
import { isPassing } from './interruption.ts';
import type { Pass } from './pass.ts';
import { isOutputTooLarge } from './run-journal.ts';
import type { Visit } from './visit.ts';

/** Enters a loop, or ends it. */
export function takeLoop(pass: Pass, visit: Visit): Visited {
  try {
    return settleLoop(pass, visit);
  } catch (error) {
    if (isPassing(error)) throw error;
    return pass.fail(visit, error);
  }
}

/** The same, but throws what fails. */
export function settleLoop(pass: Pass, visit: Visit): Visited {
  const { kind, step, scope } = visit;
  if (kind === 'fail') return pass.fail(visit, visit.failure);
  if (kind === 'leave') {
    if (isOutputTooLarge(visit.output, true)) throw outputTooLarge();
    return pass.settle(visit, { status: 'succeeded', attempts: 1, output: visit.output }, visit.output);
  }
  if (step.when && !step.when(scope)) return pass.settle(visit, { status: 'skipped' }, null);
  const items = readItems(step.with(scope));
  if (isOutputTooLarge(items, true)) throw outputTooLarge();
  return pass.settle(visit, { status: 'running', attempts: 1, input: { items } }, items);
}
