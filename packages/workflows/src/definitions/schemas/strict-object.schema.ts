import { z } from 'zod';
import { didYouMean } from '@relata/schemas/errors';
import { isRecord } from '@relata/schemas';

/** An object of known keys. The message on unknown ones has a line for each, with what was probably meant. */
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

/** Unknown keys that are given a hint. */
const hintsMax = 100;

/** Beyond so many names a list of them does not help. */
const listedMax = 8;

function hintFor(key: string, known: readonly string[]): string {
  const listed = known.length > 0 && known.length <= listedMax ? `There is: ${known.join(', ')}.` : '';
  return didYouMean(key, known) ?? listed;
}

/** Raises a problem that only shows when several members are looked at; also where one of them is wrong by itself. */
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
