import { z } from 'zod';
import { checkInputValue, type InputSpec } from '../input-value.ts';
import { strictObject } from './strict-object.schema.ts';

export const inputTypes = ['string', 'number', 'boolean', 'object', 'array'] as const;
const formats = ['email', 'uri', 'uuid', 'date-time'] as const;

export const Input = strictObject({
  type: z.enum(inputTypes),
  format: z.enum(formats).optional().meta({ description: 'Only allowed for strings.' }),
  required: z.boolean().optional().meta({ description: 'True if a run needs a value. A default counts as a value.' }),
  default: z.unknown().optional().meta({ description: 'Used if the value is missing, null or an empty text.' }),
  description: z.string().max(2_000).optional(),
})
  .superRefine((spec, ctx) => {
    const problem = defaultProblem(spec);
    if (spec.format !== undefined && spec.type !== 'string')
      ctx.addIssue({ code: 'custom', path: ['format'], message: 'Only a string can have a format.' });
    else if (problem !== undefined) ctx.addIssue({ code: 'custom', path: ['default'], message: problem });
  })
  .meta({ id: 'Input' });

function defaultProblem(spec: InputSpec): string | undefined {
  if (spec.default === undefined) return undefined;
  if (spec.default === null || spec.default === '') return 'Is not a value. Omit the default.';
  const read = checkInputValue(spec, spec.default);
  return 'problem' in read ? `The default ${read.problem}.` : undefined;
}
