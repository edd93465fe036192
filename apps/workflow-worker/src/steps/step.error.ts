import { ChannelError } from '@relata/channel';
import { ExpressionError } from '@relata/expressions';
import { OutboundError } from '@relata/outbound';
import { AppError } from '@relata/schemas/errors';
import { SecretError } from '@relata/secrets';
import type { StepError } from '@relata/workflows/execution';

/** A failure as operators see it, and whether it can be retried. */
export interface ExplainedError {
  error: StepError;
  isRetryable: boolean;
  /** Delay in ms that the other system asks for before the next attempt. */
  retryAfterMs?: number | undefined;
  /** True for an internal error, which is logged with its cause. */
  isFault: boolean;
}

export function explainStepError(thrown: unknown): ExplainedError {
  if (thrown instanceof AppError) {
    const { code, message, details = thrown.data } = thrown;
    return permanent({ code, message, ...(details && { details }) });
  }
  if (thrown instanceof ExpressionError) return permanent({ code: 'expression_error', message: thrown.message });
  if (thrown instanceof RunTooLargeError) return permanent({ code: 'run_too_large', message: thrown.message });
  if (thrown instanceof SecretError) return permanent({ code: thrown.code, message: thrown.message });
  if (thrown instanceof OutboundError || thrown instanceof ChannelError) {
    const { code, message, isRetryable, retryAfterMs } = thrown;
    return { error: { code, message, ...responseOf(thrown) }, isRetryable, retryAfterMs, isFault: false };
  }
  return { ...permanent({ code: 'internal_error', message: 'Something went wrong on our side.' }), isFault: true };
}

/** The values that a run must hold in memory are too large. */
export class RunTooLargeError extends Error {
  override name = 'RunTooLargeError';

  constructor(
    message = 'The outputs of the run are too large: those that later steps can see are limited to 2,000,000 ' +
      'characters of JSON.',
  ) {
    super(message);
  }
}

export function permanent(error: StepError): ExplainedError {
  return { error, isRetryable: false, isFault: false };
}

/** Returns the response of the other system, for operators who look for the cause. */
function responseOf(error: OutboundError | ChannelError) {
  if (!(error instanceof OutboundError) || error.status === undefined) return {};
  return { details: { status: error.status, body: error.excerpt } };
}
