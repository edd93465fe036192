import { ExpressionError, type KnownValue } from '@relata/expressions';
import { AppError, type ErrorDetail } from '@relata/schemas/errors';
import type { StepError } from '../runs/run.sql.ts';

const shownMax = 3;

/** Returns the problems of an error field by field, at most three, or its message if it has no details. */
export function explained({ message, details }: Pick<StepError, 'message' | 'details'>): string {
  if (!Array.isArray(details) || details.length === 0) return message;
  const lines = (details as ErrorDetail[])
    .slice(0, shownMax)
    .map((one) => `${one.field ? `${one.field}: ` : ''}${one.message}`);
  return details.length > shownMax ? `${lines.join(' ')} And ${details.length - shownMax} more.` : lines.join(' ');
}

/** Returns the error of a step as the worker reports it; undefined if it depends on unknown values. Rethrows others. */
export function toStepError(error: unknown, unknown: KnownValue['unknown']): StepError | undefined {
  if (error instanceof ExpressionError) return { code: 'expression_error', message: error.message };
  if (!(error instanceof AppError)) throw error;
  const known = (error.details ?? []).filter(({ field }) => !dependsOn(field, unknown));
  if (error.details && known.length === 0) return undefined;
  return { code: error.code, message: explained({ message: error.message, details: known }) };
}

/**
 * Returns true if a fault at a field depends on unknown values. Rules for a whole object depend on all of its members.
 */
function dependsOn(field: string, unknown: KnownValue['unknown']): boolean {
  if (unknown.length === 0) return false;
  const [member] = field.split('[');
  return unknown.some((path) => {
    const given = path.slice(path[1] === 'set' ? 2 : 1);
    const name = given[0] === 'match' ? given.slice(0, 2).join('.') : String(given[0] ?? '');
    return name === ''
      ? !field.startsWith('match')
      : member === '' || member === name || member!.startsWith(`${name}.`);
  });
}
