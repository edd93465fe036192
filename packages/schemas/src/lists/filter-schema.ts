import { z } from 'zod';
import type { DetailCode } from '../errors/detail-codes.ts';
import type { Fields } from '../fields/field.ts';
import { instantOrDate } from '../fields/instant.ts';
import { numberColumnOf } from '../fields/numbers.ts';
import { countCharacters, shortText, problem, text, uuid } from '../fields/text.ts';
import { type FilterOperator, listFilters, type ListSpec, searchParameter, takesMany } from './list-spec.ts';
import { searchWordMin, searchWords, searchWordsMax } from './search-words.ts';

/** Maximum number of values for `[in]`, `[any]` and `[all]`. */
const valuesMax = 100;

/** Returns the schemas of the parameters that a list has for its filters. */
export function filterSchemas(spec: ListSpec, fields: Fields): Record<string, z.ZodOptional> {
  const filters = [...listFilters(spec).values()].map(({ name, field, operator }) => {
    const description = describe(field, operator);
    return [name, filterSchema(operator, fieldSchema(field, fields)).optional().meta({ description })] as const;
  });
  return Object.fromEntries([
    ...filters,
    ...(spec.search ? [[searchParameter, search(spec.search).optional()] as const] : []),
  ]);
}

function filterSchema(operator: FilterOperator, field: z.ZodType): z.ZodType {
  if (operator === 'exists') return z.enum(['true', 'false']);
  if (operator === 'prefix') return text({ min: 1, max: 100 });
  if (!takesMany(operator)) return valueSchema(field);
  return values(valueSchema(field, ' Give the parameter again for each value.'));
}

/** Accepts one value or several: a parameter that is given once arrives as a string. */
function values(value: z.ZodType): z.ZodType {
  return z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(value).max(valuesMax));
}

function fieldSchema(name: string, fields: Fields): z.ZodType {
  const schema = fields[name]?.schema;
  if (schema) return schema instanceof z.ZodArray ? (schema.element as z.ZodType) : schema;
  if (name === 'id' || name.endsWith('_id')) return name === 'crm_id' ? shortText() : uuid();
  return name.endsWith('_at') ? instantOrDate() : shortText();
}

/** Returns the schema of a value in a query, for a field with this schema. */
function valueSchema(field: z.ZodType, advice?: string): z.ZodType {
  if (field instanceof z.ZodEnum) return field;
  if (numberColumnOf(field)) return z.preprocess(readNumber, field);
  const format = field.meta()?.['format'];
  if (format === 'uuid') return uuid(advice);
  if (format === 'date-time') return instantOrDate();
  return text({ min: 1, max: (field.meta()?.['maxLength'] as number | undefined) ?? 2_048 });
}

function readNumber(value: unknown, ctx: z.core.$RefinementCtx): unknown {
  const refuse = (code: DetailCode, message: string) => {
    ctx.issues.push({ code: 'custom', params: { code }, message, input: value });
    return z.NEVER;
  };
  if (typeof value !== 'string' || !/^[+-]?\d+(\.\d+)?$/.test(value))
    return refuse('invalid_format', 'Must be a number.');
  // A number with hundreds of digits may be too large for JavaScript.
  return Number.isFinite(Number(value)) ? Number(value) : refuse('out_of_range', 'Must be a finite number.');
}

/** Maximum length of `q`, in characters: that of the longest searched field. */
const searchMax = 2_048;

function search(fields: readonly string[]): z.ZodType {
  return text({ min: searchWordMin, max: searchMax })
    .check((ctx) => {
      const words = searchWords(ctx.value);
      if (words.length > searchWordsMax) problem(ctx, 'too_many', `Must have at most ${searchWordsMax} words.`);
      else if (words.length === 0 || words.some((word) => countCharacters(word) < searchWordMin))
        problem(ctx, 'too_short', `Must be words of at least ${searchWordMin} letters or digits each.`);
    })
    .meta({
      description:
        `Only records in which each given word is the beginning of a word in ${oneOf(fields)}, in any case: ` +
        `1 to ${searchWordsMax} words of at least ${searchWordMin} letters or digits each.`,
      param: { example: 'exam robo' },
    });
}

const oneOf = (fields: readonly string[]) =>
  fields
    .map((field) => `\`${field}\``)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');

function describe(field: string, operator: FilterOperator): string {
  const name = `\`${field}\``;
  const many = `Give the parameter again for each value, up to ${valuesMax} times.`;
  const descriptions: Record<FilterOperator, string> = {
    equals: `Only records with this ${name}.`,
    in: `Only records with one of these values as ${name}. ${many}`,
    any: `Only records with at least one of these ${name}. ${many}`,
    all: `Only records with all of these ${name}. ${many}`,
    prefix: `Only records whose ${name} starts with this, in any case.`,
    exists: `\`true\`: only records with a value of ${name}; \`false\`: only those without.`,
    gt: `Only records whose ${name} is greater or later than this.`,
    gte: `Only records whose ${name} is equal to this, greater or later.`,
    lt: `Only records whose ${name} is less or earlier than this.`,
    lte: `Only records whose ${name} is equal to this, less or earlier.`,
  };
  return descriptions[operator];
}
