import { cleanJson } from '@relata/expressions';
import { type CompiledAssignment, mappedInput, skippedBy } from './assignment.ts';
import type { DeliveryContent } from '../deliveries/delivery-content.ts';
import type { FailingStep } from '../verdicts/simulate-steps.ts';

export interface DeliveryPreview {
  /** `fails`: the delivery starts a run that is certain to fail at a step. */
  verdict: 'starts' | 'fails' | 'filtered' | 'filter_failed' | 'refused' | 'not_judged';
  /** Why the filter failed. */
  message: string | undefined;
  /** Inputs that the delivery does not satisfy, so that the workflow would not start. */
  problems: { input: string; message: string }[];
  /** Value of each input as JSON, cut at 200 characters. */
  inputs: Record<string, string>;
  /** The step at which the run would fail, or might if that is not certain. */
  fails: FailingStep | undefined;
}

const nothing = { message: undefined, problems: [], inputs: {}, fails: undefined };

export const notPreviewed: DeliveryPreview = { verdict: 'not_judged', ...nothing };

export interface DeliveryPreviewOptions {
  /** Called between parts that take some milliseconds at most; throws if the time is used up. */
  pause: () => void | Promise<void>;
  /** Simulates the run that would be started with these inputs. */
  simulateRun: (inputs: Record<string, unknown>) => Promise<FailingStep | undefined>;
}

const shownCharacters = 200;

/** Applies an assignment to a delivery as the receiver would, and judges the run. */
export async function previewDelivery(
  assignment: CompiledAssignment,
  content: DeliveryContent,
  { pause, simulateRun }: DeliveryPreviewOptions,
): Promise<DeliveryPreview> {
  const skipped = skippedBy(assignment, content);
  const values: Record<string, unknown> = {};
  const inputs: DeliveryPreview['inputs'] = {};
  const problems: DeliveryPreview['problems'] = [];
  for (const source of assignment.sources) {
    await pause();
    const found = mappedInput(source, content);
    if ('problem' in found) problems.push({ input: source.input, message: found.problem.message });
    else if (found.value !== undefined) {
      values[source.input] = cleanJson(found.value);
      inputs[source.input] = shownText(values[source.input]);
    }
  }
  if (skipped) return { ...nothing, verdict: skipped.reason, message: skipped.message, inputs };
  if (problems.length > 0) return { ...nothing, verdict: 'refused', problems, inputs };
  const fails = await simulateRun(values);
  return { ...nothing, verdict: fails?.is_certain ? 'fails' : 'starts', inputs, fails };
}

function shownText(value: unknown): string {
  const whole = typeof value === 'string' ? value.slice(0, shownCharacters + 1) : value;
  const text = JSON.stringify(whole);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters).toWellFormed()}…` : text;
}
