import { z } from 'zod';
import { didYouMean } from '@relata/schemas/errors';
import { isRecord } from '@relata/schemas';

/**
 * Returns a schema of an object with known keys. The message about unknown keys has one line per key: its hint, which
 * may be empty.
 */
export function strictObject<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys
            .slice(0, hintsMax)
            .map((key) => hintFor(key, Object.keys(shape)))
            .join('\n')
        : undefined,
  });
}

/** Maximum number of unknown keys that get a hint. */
const hintsMax = 100;

/** Maximum number of known names that a hint lists. */
const listedMax = 8;

function hintFor(key: string, known: readonly string[]): string {
  const listed = known.length > 0 && known.length <= listedMax ? `Available: ${known.join(', ')}.` : '';
  return didYouMean(key, known) ?? listed;
}

/** Adds a check across several members, which also runs if a member is invalid by itself. */
export function jointly<S extends z.ZodType>(
  schema: S,
  problemOf: (value: Record<string, unknown>) => string | undefined,
): S {
  return schema.check(
    z.superRefine(
      (value, ctx) => {
        const problem = isRecord(value) ? problemOf(value) : undefined;
        if (problem !== undefined) ctx.addIssue({ code: 'custom', message: problem });
      },
      { when: () => true },
    ),
  );
}
