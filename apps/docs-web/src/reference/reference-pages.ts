import { apiGuide, chatOperations, type OperationSpec, recordsOperations } from '@relata/schemas';
import { errorsPath } from '@relata/schemas/errors';
import { errorsGuide } from '@relata/schemas/errors-guide';
import { openApiDocument } from '@relata/schemas/openapi';
import { slugOf } from '../markdown.ts';
import type { Page } from '../pages.ts';
import { fieldTable, tableText } from './field-table.ts';
import { type Components, type Described, operationText } from './operation-text.ts';
import { tryForm } from './try-form.ts';
import { nameOf, type Schema } from './type-text.ts';

/** All operations, in the order of the OpenAPI document. */
const operations: readonly OperationSpec[] = [
  ...Object.values<OperationSpec>(recordsOperations),
  ...Object.values<OperationSpec>(chatOperations),
];

const pathOfTag = (tag: string) => `/docs/reference/${slugOf(tag)}`;

interface Reference {
  pages: Page[];
  /** Forms that try an operation, by its id. */
  forms: ReadonlyMap<string, string>;
}

/** Returns the reference: a page for all operations, one for each tag, and one for the errors. */
export function makeReference(): Reference {
  const document = openApiDocument();
  const components = document.components as unknown as Components;
  const tags = document.tags as readonly { name: string; description: string }[];
  const described = ({ path, method }: OperationSpec) =>
    (document.paths as unknown as Record<string, Record<string, Described>>)[path]![method]!;
  const forms = new Map(operations.map((spec) => [spec.id, tryForm(spec, described(spec))]));
  const overview: Page = {
    path: '/docs/reference',
    section: 'Reference',
    title: 'Operations',
    summary:
      'All operations of the API, and what applies to each of them: keys, pages, versions, retries, limits, errors.',
    markdown: `# Operations\n\n${apiGuide}\n\n## All operations\n\n${operationTable()}`,
  };
  const pages = tags.map(({ name, description }): Page => {
    const own = operations.filter(({ tag }) => tag === name);
    const objects = objectsOf(own.map(described), components);
    const linked = new Set(objects);
    const texts = own.map((spec) => operationText(spec, described(spec), components, linked));
    const tables = objects.map((object) => {
      const schema = components.schemas[object]!;
      return `## ${object}\n\n${schema.description ?? ''}\n\n${fieldTable(schema, components.schemas, linked)}`;
    });
    return {
      path: pathOfTag(name),
      section: 'Reference',
      title: name,
      summary: `${description} ${own.map(({ summary }) => `${summary}.`).join(' ')}`,
      markdown: [`# ${name}`, description, samplesNote, ...texts, ...tables].join('\n\n'),
    };
  });
  const errors: Page = {
    path: errorsPath,
    section: 'Reference',
    title: 'Errors',
    summary: 'Every error code with its cause, its remedy and an example.',
    markdown: errorsGuide(),
  };
  return { pages: [overview, ...pages, errors], forms };
}

const samplesNote =
  'The samples read the address of the service, the key and the id from the environment variables `RELATA`, `KEY` and ' +
  '`ID`.';

function operationTable(): string {
  const lines = operations.map(({ summary, method, path, tag }) => [
    `[${summary}](${pathOfTag(tag)}#${slugOf(summary)})`,
    `\`${method.toUpperCase()} ${path}\``,
  ]);
  return tableText([['Operation', 'Request'], ...lines]);
}

/** Returns the names of the objects in responses. A page describes each of them once. */
function objectsOf(described: readonly Described[], { schemas }: Components): string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const each of Object.values(value)) visit(each);
    const { $ref } = value as Schema;
    if ($ref?.startsWith('#/components/schemas/')) found.add(nameOf($ref));
  };
  for (const { responses } of described)
    for (const [status, { content }] of Object.entries(responses)) if (status < '400') visit(content);
  return [...found].filter((name) => schemas[name]?.properties && name !== 'Error' && name !== 'ErrorDetail');
}
