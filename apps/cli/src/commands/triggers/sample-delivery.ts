import { randomUUID } from 'node:crypto';
import type { Db } from '@relata/db';
import { isRecord } from '@relata/schemas';
import { describeKind } from '@relata/signatures';
import {
  type InputMapping,
  type InputSpec,
  listAssignedWorkflows,
  readStoredDefinition,
  type Trigger,
} from '@relata/workflows';

type Payload = Record<string, unknown>;

export interface SampleDelivery {
  payload: Payload;
  headers: Record<string, string>;
}

/**
 * Returns a delivery with a value of the right type for every mapped input of the trigger's workflows. If the sender is
 * of a known kind, the delivery is the sample of that kind plus the missing inputs.
 */
export async function sampleDelivery(db: Db, trigger: Trigger): Promise<SampleDelivery> {
  const sample = sampleOfKind(trigger);
  for (const { workflow_id: id, definition, inputs } of await listAssignedWorkflows(db, trigger.org_id, trigger.id))
    fill(sample, readStoredDefinition(id, definition).inputs, inputs);
  return sample;
}

function sampleOfKind({ signature }: Trigger): SampleDelivery {
  if (!signature) return { payload: emptyPayload(), headers: {} };
  const { body, headers = {} } = describeKind(signature.kind).sample(randomUUID());
  return { payload: withoutPrototypes(body) as Payload, headers };
}

/** Copies JSON into objects without a prototype, so that any name, even `__proto__`, is an ordinary field. */
function withoutPrototypes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, inner: unknown) =>
    isRecord(inner) ? Object.assign(emptyPayload(), inner) : inner,
  );
}

function fill({ payload, headers }: SampleDelivery, inputs: Record<string, InputSpec>, mapping: InputMapping): void {
  for (const [name, from] of Object.entries(mapping)) {
    const spec = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (!spec || typeof from !== 'string') continue;
    const [root, ...path] = from.split('.');
    if (root === 'headers') headers[path.join('.').toLowerCase()] ??= headerText(sampleOf(name, spec));
    else put(payload, path, sampleOf(name, spec));
  }
}

/** Returns the value as text, or `Sample` if a header does not permit the text. */
function headerText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\x20-\x7e]*$/.test(text) ? text : 'Sample';
}

/** Sets a field unless it exists already, or its path leads through a value that is not an object. */
function put(fields: Payload, [key, ...rest]: string[], value: unknown): void {
  if (key === undefined) return;
  if (rest.length === 0) fields[key] ??= value;
  else {
    const inner = (fields[key] ??= emptyPayload());
    if (typeof inner === 'object' && !Array.isArray(inner)) put(inner as Payload, rest, value);
  }
}

/** Creates an object without a prototype. Any name is an ordinary field of it. */
function emptyPayload(): Payload {
  return Object.create(null) as Payload;
}

function sampleOf(name: string, { type, format, default: fallback }: InputSpec): unknown {
  if (fallback !== undefined) return fallback;
  if (type !== 'string') return { number: 1, boolean: true, object: emptyPayload(), array: [] }[type];
  return format === undefined ? `Sample ${name}` : formatted[format];
}

const formatted = {
  email: 'sample@example.com',
  uri: 'https://example.com/sample',
  uuid: '00000000-0000-4000-8000-000000000000',
  'date-time': '2026-01-31T09:30:00Z',
} as const;
