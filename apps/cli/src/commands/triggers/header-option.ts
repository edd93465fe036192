import { z } from 'zod';
import { refuseText, values } from '../../command/parameter.ts';

const headersMax = 40;

/** A header in HTTP notation. */
const header = z.string().transform((text, ctx): [name: string, value: string] => {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*([\t\x20-\x7e]*)$/.exec(text) ?? [];
  return name === undefined ? refuseText(ctx, 'Must look like X-GitHub-Event: issues.') : [name.toLowerCase(), value!];
});

export const sentHeaders = values(
  'NAME: VALUE',
  z
    .array(header)
    .max(headersMax)
    .default([])
    .transform((entries): Record<string, string> => Object.fromEntries(entries)),
  'Header to send beside the payload; repeatable',
);
