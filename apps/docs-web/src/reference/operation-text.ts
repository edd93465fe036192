import type { OperationSpec } from '@relata/schemas';
import { codeSamples } from '@relata/schemas/code-samples';
import { errorsPath } from '@relata/schemas/errors';
import { bodyTables, cell, fieldTable, meaning, type Schemas, tableText } from './field-table.ts';
import { nameOf, type Schema, typeText } from './type-text.ts';

/** An operation of the OpenAPI document. */
export interface Described {
  description: string;
  parameters?: readonly Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Readonly<Record<string, Response & { $ref?: string }>>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Response {
  description: string;
  content?: Record<string, { schema: Schema; examples?: Record<string, unknown> }>;
}

export interface Components {
  schemas: Schemas;
  responses: Readonly<Record<string, Response>>;
}

/** Returns the section of an operation in Markdown. Objects in `linked` have their own section on the page. */
export function operationText(
  spec: OperationSpec,
  described: Described,
  components: Components,
  linked: ReadonlySet<string>,
): string {
  const body = described.requestBody?.content['application/json']?.schema;
  return [
    `## ${spec.summary}`,
    `\`${spec.method.toUpperCase()} ${spec.path}\``,
    described.description,
    ...codeSamples(spec).map(({ language, source }) => `\`\`\`${language}\n${source}\n\`\`\``),
    `<!-- try ${spec.id} -->`,
    ...(described.parameters?.length ? ['**Parameters**', parameterTable(described.parameters)] : []),
    ...(body ? bodyTables('Body', body, components.schemas, linked) : []),
    '**Response**',
    ...Object.entries(described.responses)
      .filter(([status]) => status < '400')
      .map(([status, response]) => successText(status, resolved(response, components), components, linked)),
    `**Errors**: ${errorLinks(described, components)}`,
  ].join('\n\n');
}

function parameterTable(parameters: readonly Parameter[]): string {
  const lines = parameters.map(({ name, in: place, required, description, schema }) => [
    `\`${name}\`${required ? ' required' : ''}`,
    place,
    cell(typeText(schema)),
    cell(meaning({ ...schema, description: description ?? schema.description ?? '' })),
  ]);
  return tableText([['Name', 'In', 'Type', 'Description'], ...lines]);
}

const resolved = (response: Response & { $ref?: string }, { responses }: Components): Response =>
  response.$ref === undefined ? response : responses[nameOf(response.$ref)]!;

function successText(status: string, response: Response, components: Components, linked: ReadonlySet<string>): string {
  const [type, content] = Object.entries(response.content ?? {})[0] ?? [];
  const intro = `${status}: ${response.description}`;
  if (type !== 'application/json' || content === undefined) return intro;
  return `${intro}\n\n${fieldTable(content.schema, components.schemas, linked)}`;
}

/** Returns the codes of an operation's errors, each with a link to its explanation. */
function errorLinks({ responses }: Described, components: Components): string {
  return Object.entries(responses)
    .filter(([status]) => status >= '400')
    .map(([status, response]) => {
      const { content } = resolved(response, components);
      const codes = Object.keys(content?.['application/json']?.examples ?? {});
      return `${status} ${codes.map((code) => `[\`${code}\`](${errorsPath}#${code})`).join(', ')}`;
    })
    .join(' · ');
}
