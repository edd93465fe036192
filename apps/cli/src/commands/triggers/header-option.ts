import { z } from 'zod';
import { values } from '../../command/parameter.ts';

const headersMax = 40;

/** Reads a header in HTTP notation; returns undefined if it is malformed. */
function readHeader(text: string): [name: string, value: string] | undefined {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*([\t\x20-\x7e]*)$/.exec(text) ?? [];
  return name === undefined ? undefined : [name.toLowerCase(), value!];
}

const header = z.string().transform((text, ctx): [name: string, value: string] => {
  const read = readHeader(text);
  if (read) return read;
  const message = 'Must look like X-GitHub-Event: issues.';
  ctx.issues.push({ code: 'custom', params: { code: 'invalid_format' }, message, input: text });
  return z.NEVER;
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
