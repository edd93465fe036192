import { z } from 'zod';

/** Returns a schema of strings for which `problemOf` returns no message. */
export function checkedText(problemOf: (text: string) => string | undefined) {
  return z.string().check((ctx) => {
    const message = problemOf(ctx.value);
    if (message !== undefined) ctx.issues.push({ code: 'custom', message, input: ctx.value });
  });
}
