import { isRecord } from '../fields/is-record.ts';

type Node = Record<string, unknown>;

/**
 * Moves the defaults of body members from `default` to their descriptions, in place. Client generators treat a member
 * with a `default` as always present, which is true only in responses.
 */
export function describeBodyDefaults(document: { paths?: unknown; components?: { schemas?: unknown } }): void {
  const schemas = document.components?.schemas as Record<string, Node>;
  const operations = Object.values(document.paths as Record<string, Record<string, Node>>).flatMap(Object.values<Node>);
  const waiting: unknown[] = operations.map(({ requestBody }) => requestBody);
  const seen = new Set<string>();
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (Array.isArray(node)) waiting.push(...(node as unknown[]));
    if (!isRecord(node)) continue;
    const name = typeof node['$ref'] === 'string' ? node['$ref'].split('/').at(-1)! : undefined;
    if (name !== undefined && !seen.has(name)) waiting.push(schemas[name]);
    if (name !== undefined) seen.add(name);
    moveDefaults(node['properties']);
    waiting.push(...Object.values(node));
  }
}

function moveDefaults(properties: unknown): void {
  if (!isRecord(properties)) return;
  for (const member of Object.values(properties as Record<string, Node>)) {
    const { default: value, description } = member;
    if (value === undefined) continue;
    delete member['default'];
    // An empty object says only that the member may be omitted.
    if (isRecord(value) && Object.keys(value).length === 0) continue;
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    member['description'] = [description, `By default \`${shown}\`.`].filter(Boolean).join(' ');
  }
}
