import { definitionJsonSchema } from './schemas/definition-json-schema.ts';
import type { StepExample } from './steps/step-kind.ts';
import { stepKinds } from './steps/step-kinds.ts';

interface StepGuide {
  use: string;
  summary: string;
  fields: readonly FieldGuide[];
  /** Members of its output; empty for a loop, whose output is a list. */
  output: readonly string[];
  example: StepExample;
}

interface FieldGuide {
  /** The path below `with`, like `set.email`. */
  path: string;
  type: string;
  isRequired: boolean;
  description: string;
}

/** The parts of a JSON Schema that the guide reads. */
interface Schema {
  $defs?: Record<string, Schema>;
  $ref?: string;
  anyOf?: readonly Schema[];
  description?: string;
  enum?: readonly unknown[];
  format?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  type?: string;
}

/** Lists every kind of step, each with the fields that its schema declares. */
export function stepGuide(): StepGuide[] {
  const { $defs }: Schema = definitionJsonSchema();
  return stepKinds.map(({ use, summary, example, output }) => ({
    use,
    summary,
    fields: fieldsOf($defs![use]!.properties!['with']!),
    output: typeof output === 'string' ? [] : [...output],
    example,
  }));
}

function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): FieldGuide[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const value = writtenForm(member);
    const path = `${prefix}${name}`;
    const description = member.description ?? value.description ?? '';
    return [
      { path, type: typeOf(value), isRequired: required.includes(name), description },
      ...fieldsOf(value, `${path}.`),
    ];
  });
}

/**
 * Returns the alternative of a schema that is neither an expression nor null, because every field accepts an
 * expression.
 */
function writtenForm(schema: Schema): Schema {
  const first = schema.anyOf?.find(({ $ref, type }) => $ref === undefined && type !== 'null');
  return first === undefined ? schema : writtenForm(first);
}

function typeOf({ enum: values, type, items = {}, format }: Schema): string {
  if (values) return values.map(String).join(', ');
  if (type === 'array') return `list of ${typeOf(writtenForm(items))}`;
  return format ?? type ?? 'any value';
}
