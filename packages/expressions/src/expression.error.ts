import { cleanText } from './clean-text.ts';

/** A fault of an expression, worded so that it can be shown to its author. */
export interface ExpressionProblem {
  readonly message: string;
  readonly hint?: string | undefined;
}

/**
 * An expression that cannot be compiled, or that failed on its values. The message may contain names from the
 * expression, but never a value, so that it can be stored and shown. The message is cleaned, since a name may contain
 * any characters.
 */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    const text = cleanText(hint === undefined ? message : `${message} ${hint}`);
    // No stack trace is captured: it would be most of the cost of this error, which may be thrown for every delivery.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(text);
    Error.stackTraceLimit = stackTraceLimit;
    this.hint = hint;
  }

  /** Returns this error with the path in front of its message. */
  at(path: string): ExpressionError {
    return new ExpressionError(`${path}: ${this.message}`);
  }
}

/** Returns true if the value is a list of problems rather than a compiled expression. */
export function isProblems<Compiled extends object>(
  read: Compiled | readonly ExpressionProblem[],
): read is readonly ExpressionProblem[] {
  return Array.isArray(read);
}

/** Returns the compiled expression; throws the first problem as an ExpressionError. */
export function orThrow<Read extends object>(read: Read): Exclude<Read, readonly ExpressionProblem[]> {
  if (isProblems(read)) throw new ExpressionError(read[0]!.message, read[0]!.hint);
  return read as Exclude<Read, readonly ExpressionProblem[]>;
}

/** A limit that ends the whole evaluation: `||` and `exists` do not catch this error. */
export class ExpressionLimitError extends ExpressionError {
  override name = 'ExpressionLimitError';

  override at(path: string): ExpressionLimitError {
    return new ExpressionLimitError(`${path}: ${this.message}`);
  }
}
