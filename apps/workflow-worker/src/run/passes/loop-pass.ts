import { storableJson } from '@relata/expressions';
import { loopInputs } from '@relata/workflows/execution';
import { endsPass } from '../interruption.ts';
import type { Pass } from './pass.ts';
import { loopOutputCharactersMax, requireStorable } from '../run-journal.ts';
import { isSkipped, type Visited, type VisitOf } from '../visit.ts';

/** Enters or ends a loop. If that fails, the step fails. */
export function executeLoop(pass: Pass, visit: VisitOf<'loop'>): Visited {
  try {
    return settleLoop(pass, visit);
  } catch (error) {
    if (endsPass(error)) throw error;
    return pass.fail(visit, error);
  }
}

/** Like executeLoop, but throws the failure. */
export function settleLoop(pass: Pass, visit: VisitOf<'loop'>): Visited {
  const { kind, step, context } = visit;
  if (kind === 'fail') return pass.fail(visit, visit.failure);
  if (kind === 'leave') {
    const text = storableJson(visit.output);
    requireStorable(text, loopOutputCharactersMax);
    return pass.settle(visit, { status: 'succeeded', attempts: 1 }, visit.output, text);
  }
  if (isSkipped(visit)) return pass.skip(visit);
  const items = loopInputs[step.use](step.with(context));
  const text = storableJson(items);
  requireStorable(text, loopOutputCharactersMax);
  return pass.enter(visit, items, text);
}
