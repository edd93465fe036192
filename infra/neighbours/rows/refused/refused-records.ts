import type { FloodContext } from '../../flood/flood.ts';
import { RefusedBody } from './refused-body.ts';
import { refusedBodies, typeOf } from './refused-bodies.ts';

const body = new RefusedBody(1_000_000);
const name = '"account_name":"Refused",';
/** A well-formed key that belongs to nobody. */
const wrongKey = 'relata_sk_0000000000000000000000000000000000000000';

const pathOf = (kind: string) => (kind === 'values' ? '/v1/activities/custom' : '/v1/records/accounts');
const keyAt = ({ flooder: { keys } }: FloodContext<unknown>, request: number) => keys[request % keys.length]!;

/** Single writes. Each key keeps within its limit. */
export const refusedRecords = refusedBodies({
  name: 'refused-records',
  app: 'records-api',
  probes: ['get', 'post'],
  of: 'syntax, 160,000 levels, 90,000 fields, wide objects, a list of objects, 100,000 wrong values, size, type, key',
  faults: {
    syntax: [400, () => body.syntax(name)],
    levels: [400, () => body.levels(name, 'tags')],
    fields: [400, () => body.fields(name)],
    wide: [400, () => body.fields(`${name}"tags":{`, '}}')],
    objects: [400, () => body.list(`${name}"tags":`, '{}', '}')],
    values: [400, () => body.list('"contact_ids":', '1', '}')],
    size: [413, () => body.tooLarge()],
    type: [415, () => body.text()],
    key: [401, () => body.text()],
  },
  sentOf: (context, kind, request) => ({
    path: pathOf(kind),
    headers: { 'x-api-key': kind === 'key' ? wrongKey : keyAt(context, request), ...typeOf(kind) },
  }),
});

const items = '"operation":"create","atomic":true,"items":';
const fields = JSON.stringify(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, 0])));
const values = Array.from({ length: 900 }, () => 1).join();
const listOf = (item: string) => Buffer.from(`{${items}[${Array.from({ length: 500 }, () => item).join()}]}`);

/** Batches, whose items are validated one by one. */
export const refusedBatches = refusedBodies({
  name: 'refused-batches',
  app: 'records-api',
  probes: ['get', 'post'],
  of: '300,000 items; 500 items with 200 unknown fields, with different unknown fields, with 900 wrong values, or with deep values; syntax',
  faults: {
    items: [400, () => body.list(items, '{}', '}')],
    fields: [409, () => listOf(fields)],
    distinct: [409, () => body.distinct(items, 500, '}')],
    values: [409, () => listOf(`{"content":"x","contact_ids":[${values}]}`)],
    levels: [409, () => listOf(`{"tags":${'['.repeat(900)}${']'.repeat(900)}}`)],
    syntax: [400, () => body.syntax(`${items}[],`)],
  },
  sentOf: (context, kind, request) => ({
    path: `${pathOf(kind)}/batch`,
    headers: { 'x-api-key': keyAt(context, request) },
  }),
});
