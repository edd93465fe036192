import { type CompiledAssignment, inputOf, skippedBy, type Source } from './assignment.ts';
import type { DeliveryContent } from '../deliveries/delivery-content.ts';

/** What a delivery would come to. */
export interface Judgement {
  verdict: 'starts' | 'filtered' | 'filter_failed' | 'refused' | 'not_judged';
  /** Why the filter failed. */
  message: string | undefined;
  /** Inputs that it does not satisfy: its sender would be refused. */
  problems: { input: string; message: string }[];
  /** What each input would get, as JSON; of long values the beginning. */
  inputs: Record<string, string>;
}

export const notJudged: Judgement = { verdict: 'not_judged', message: undefined, problems: [], inputs: {} };

const shownCharacters = 200;

/**
 * Applies an assignment to a delivery as the receiver would, and shows what each input gets. Calls `pause` between its
 * parts, each of which takes some milliseconds at most; it rejects where there is no more time.
 */
export async function judge(
  assignment: CompiledAssignment,
  content: DeliveryContent,
  pause: () => void | Promise<void>,
): Promise<Judgement> {
  const skipped = skippedBy(assignment, content);
  const inputs: Judgement['inputs'] = {};
  const problems: Judgement['problems'] = [];
  for (const source of assignment.sources) {
    await pause();
    show(source, content, { inputs, problems });
  }
  if (skipped) return { verdict: skipped.reason, message: skipped.message, problems: [], inputs };
  return { verdict: problems.length > 0 ? 'refused' : 'starts', message: undefined, problems, inputs };
}

function show(source: Source, content: DeliveryContent, { inputs, problems }: Pick<Judgement, 'inputs' | 'problems'>) {
  const { input } = source;
  const read = inputOf(source, content);
  if ('problem' in read) problems.push({ input, message: read.problem.message });
  else if (read.value !== undefined) inputs[input] = shownText(read.value);
}

function shownText(value: unknown): string {
  const whole = typeof value === 'string' ? value.slice(0, shownCharacters + 1) : value;
  const text = JSON.stringify(whole);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters).toWellFormed()}…` : text;
}
