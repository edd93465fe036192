import { ChannelError } from '@relata/channel';
import { ExpressionError } from '@relata/expressions';
import { OutboundError } from '@relata/outbound';
import { AppError } from '@relata/schemas/errors';
import { SecretError } from '@relata/secrets';
import type { StepError } from '@relata/workflows/execution';

/** A failure as an operator sees it, and whether to try again. */
export interface ExplainedError {
  error: StepError;
  isRetryable: boolean;
  /** How long the other side asks to wait. */
  retryAfterMs?: number | undefined;
  /** An internal error, to be logged with its cause. */
  isFault: boolean;
}

export function explainStepError(thrown: unknown): ExplainedError {
  if (thrown instanceof AppError)
    return permanent({ code: thrown.code, message: thrown.message, ...detailsOf(thrown) });
  if (thrown instanceof ExpressionError) return permanent({ code: 'expression_error', message: thrown.message });
  if (thrown instanceof RunTooLargeError) return permanent({ code: 'run_too_large', message: thrown.message });
  if (thrown instanceof SecretError) return permanent({ code: thrown.code, message: thrown.message });
  if (thrown instanceof OutboundError || thrown instanceof ChannelError) {
    const { code, message, isRetryable, retryAfterMs } = thrown;
    return { error: { code, message, ...answerOf(thrown) }, isRetryable, retryAfterMs, isFault: false };
  }
  return { ...permanent({ code: 'internal_error', message: 'Something went wrong on our side.' }), isFault: true };
}

/** What every later step would carry along. */
export function outputTooLarge(): AppError {
  return new AppError('payload_too_large', 'The output of the step is too large to be kept.');
}

/** With the output of one more step, a run would carry more than a worker can give it. */
export class RunTooLargeError extends Error {
  override name = 'RunTooLargeError';

  constructor() {
    super('The run carries too much: the outputs that later steps can see may have 2,000,000 characters as JSON.');
  }
}

function permanent(error: StepError): ExplainedError {
  return { error, isRetryable: false, isFault: false };
}

/** The answer of the other system, for the operator who looks for the cause. */
function answerOf(error: OutboundError | ChannelError) {
  if (!(error instanceof OutboundError) || error.status === undefined) return {};
  return { details: { status: error.status, body: error.excerpt } };
}

function detailsOf({ details }: AppError) {
  return details ? { details } : {};
}
