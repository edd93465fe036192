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

type Definitions = Readonly<Record<string, Schema>>;

/** Lists every kind of step, each with the fields that its schema declares. */
export function stepGuide(): StepGuide[] {
  const { $defs = {} }: Schema = definitionJsonSchema();
  return stepKinds.map(({ use, summary, example, output }) => ({
    use,
    summary,
    fields: new FieldReader($defs).fieldsOf($defs[use]!.properties!['with']!),
    output: typeof output === 'string' ? [] : [...output],
    example,
  }));
}

/** Lists the fields of one kind of step. The fields of a shared definition are listed once, where it is first used. */
class FieldReader {
  readonly #definitions: Definitions;
  readonly #listedAt = new Map<Schema, string>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): FieldGuide[] {
    return Object.entries(properties).flatMap(([name, member]) => {
      const { value, shared } = this.#writtenForm(member);
      const path = `${prefix}${name}`;
      const description = member.description ?? value.description ?? '';
      const listedAt = shared && this.#listedAt.get(shared);
      if (shared) this.#listedAt.getOrInsert(shared, path);
      const type = listedAt === undefined ? this.#typeOf(value) : `object like ${listedAt}`;
      const inner = listedAt === undefined ? this.fieldsOf(value, `${path}.`) : [];
      return [{ path, type, isRequired: required.includes(name), description }, ...inner];
    });
  }

  /**
   * Returns the alternative of a schema that is neither an expression nor null, and the shared definition that it
   * refers to, if any. Every field accepts an expression, too.
   */
  #writtenForm(schema: Schema, shared?: Schema): { value: Schema; shared: Schema | undefined } {
    const named = schema.$ref === undefined ? undefined : this.#definitions[schema.$ref.slice('#/$defs/'.length)]!;
    if (named) return this.#writtenForm(named, named);
    const first = schema.anyOf?.find(({ $ref, type }) => $ref !== '#/$defs/Expression' && type !== 'null');
    return first === undefined ? { value: schema, shared } : this.#writtenForm(first, shared);
  }

  #typeOf({ enum: values, type, items = {}, format }: Schema): string {
    if (values) return values.map(String).join(', ');
    if (type === 'array') return `list of ${this.#typeOf(this.#writtenForm(items).value)}`;
    return format ?? type ?? 'any value';
  }
}
