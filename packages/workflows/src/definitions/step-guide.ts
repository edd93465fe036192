import { isRecord } from '@relata/schemas';
import { definitionJsonSchema } from './schemas/definition-json-schema.ts';
import type { StepExample } from './steps/step-kind.ts';
import { stepKinds } from './steps/step-kinds.ts';

/** Explanation of a kind of step for authors of workflows. */
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

type Json = Record<string, unknown>;

/** Lists every kind of step, each with the fields that its schema declares. */
export function stepGuide(): StepGuide[] {
  const definitions = recordIn(definitionJsonSchema(), '$defs');
  return stepKinds.map(({ use, summary, example, output }) => ({
    use,
    summary,
    fields: fieldsOf(recordIn(recordIn(recordIn(definitions, use), 'properties'), 'with')),
    output: typeof output === 'string' ? [] : [...output],
    example,
  }));
}

function fieldsOf(schema: Json, prefix = ''): FieldGuide[] {
  const required = listIn(schema, 'required');
  return Object.entries(recordIn(schema, 'properties')).flatMap(([name, member]) => {
    const value = writtenForm(member as Json);
    const path = `${prefix}${name}`;
    const isRequired = required.includes(name);
    const description = textIn(member as Json, 'description') || textIn(value, 'description');
    return [{ path, type: typeOf(value), isRequired, description }, ...fieldsOf(value, `${path}.`)];
  });
}

/**
 * Returns the alternative of a schema that is neither an expression nor null, because every field accepts an
 * expression.
 */
function writtenForm(schema: Json): Json {
  const alternatives = listIn(schema, 'anyOf').filter(isRecord);
  const first = alternatives.find((one) => one['$ref'] === undefined && one['type'] !== 'null');
  return first === undefined ? schema : writtenForm(first);
}

function typeOf(schema: Json): string {
  const values = listIn(schema, 'enum');
  if (values.length > 0) return values.map(String).join(', ');
  if (schema['type'] === 'array') return `list of ${typeOf(writtenForm(recordIn(schema, 'items')))}`;
  return textIn(schema, 'format') || textIn(schema, 'type') || 'any value';
}

function recordIn(record: Json, name: string): Json {
  const value = record[name];
  return isRecord(value) ? value : {};
}

function listIn(record: Json, name: string): readonly unknown[] {
  const value = record[name];
  return Array.isArray(value) ? value : [];
}

function textIn(record: Json, name: string): string {
  const value = record[name];
  return typeof value === 'string' ? value : '';
}
