import type { InputMapping } from '@relata/workflows';
import { z } from 'zod';
import { refuseText, values } from '../../command/parameter.ts';

const mappedMax = 200;
const form = 'Must look like email=payload.user.email, or with a constant, like source:=\'"website"\'.';

/** A mapped input. JSON after `:=` is a constant, text after `=` is a path. */
const mapped = z.string().transform((text, ctx): [name: string, from: InputMapping[string]] => {
  const [, name, sign, from] = /^([^=:]+)(:?=)(.+)$/s.exec(text) ?? [];
  const source = name === undefined ? undefined : sign === '=' ? from! : constantOf(from!);
  if (source !== undefined) return [name!, source];
  return refuseText(ctx, name === undefined ? form : `The constant is not JSON. ${form}`);
});

function constantOf(json: string): { const: unknown } | undefined {
  try {
    return { const: JSON.parse(json) as unknown };
  } catch {
    return undefined;
  }
}

const mapping = z
  .array(mapped)
  .max(mappedMax)
  .default([])
  .transform((entries, ctx): InputMapping => {
    const names = entries.map(([name]) => name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) return refuseText(ctx, `"${twice}" is given twice.`);
    return Object.fromEntries(entries);
  });

export const inputs = values(
  'NAME=PATH',
  mapping,
  'Workflow input and the payload field or header (headers.x-event) it is taken from, or NAME:=JSON for a constant; repeatable',
);

/** Formats a mapping as it would be typed. */
export function mappingText(given: InputMapping): string {
  const typed = Object.entries(given).map(([name, from]) =>
    typeof from === 'string' ? `${name}=${from}` : `${name}:=${JSON.stringify(from.const)}`,
  );
  return typed.join(' ');
}
