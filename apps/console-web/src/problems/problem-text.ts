import type { Problem, RetryOption } from '../api/types.ts';
import { option } from '../ui/controls/shell-command.ts';
import { countedText } from '../ui/data/count.ts';

/** Returns `at notify`, or `outside a step` if no step failed. */
export const placeText = (step: string) => (step === '-' ? 'outside a step' : `at ${step}`);

export const runsText = (runs: number) => countedText(runs, 'run');

/** Returns `3 runs`, or `3 deliveries` if they started no run. */
export const failuresText = ({ refused, runs }: Problem) =>
  refused ? countedText(runs, 'delivery', 'deliveries') : runsText(runs);

type Cause = Pick<Problem, 'workflow' | 'step' | 'code' | 'refused'>;

/** Returns `inbound-lead at notify`, or for refused deliveries `inbound-lead: input email from GitHub`. */
export const causeText = ({ workflow, step, refused }: Omit<Cause, 'code'>) =>
  refused ? `${workflow}: input ${refused.input} from ${refused.trigger}` : `${workflow} ${placeText(step)}`;

export const problemName = (problem: Cause) =>
  `${causeText(problem)}${problem.code === '-' ? '' : `, ${problem.code}`}`;

/** Returns the CLI options that identify a problem. */
export const causeOptions = (org: string, { workflow_id, step, code }: Problem) => [
  ...option('org', org),
  ...option('workflow', workflow_id),
  ...option('step', step),
  ...option('code', code),
];

/** Error codes that recur whenever the same version runs with the same input. */
const permanent = new Set([
  'validation_error',
  'expression_error',
  'invalid_definition',
  'payload_too_large',
  'run_too_large',
]);

export const isPermanent = (code: string) => permanent.has(code);

/** True if the retry or replay is possible and not certain to fail. */
export const isHopeful = (option: RetryOption | null) =>
  option !== null && option.refusal === null && !option.fails?.is_certain;

/** Returns the reason why a retry or replay will or may fail; undefined if none is known. */
export function verdictText({ refusal, fails }: RetryOption): string | undefined {
  if (refusal !== null) return refusal;
  if (fails === null) return undefined;
  return `${fails.is_certain ? 'Would fail' : 'May fail'} at ${fails.step}: ${fails.message}`;
}
