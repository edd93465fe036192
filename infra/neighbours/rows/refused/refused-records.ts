import { RefusedBody } from './refused-body.ts';
import { refusedBodies } from './refused-bodies.ts';

const body = new RefusedBody(1_000_000);
const name = '"account_name":"Refused",';
const accounts = '/v1/records/accounts';
const activities = '/v1/activities/custom';
/** A well-formed key that belongs to nobody. */
const wrongKey = 'relata_sk_0000000000000000000000000000000000000000';

/** Single writes. Each key keeps within its limit. */
export const refusedRecords = refusedBodies({
  name: 'refused-records',
  app: 'records-api',
  probes: ['get', 'post'],
  of: 'syntax, 160,000 levels, 90,000 fields, wide objects, a list of objects, 100,000 wrong values, size, type, key',
  statuses: {
    syntax: 400,
    levels: 400,
    fields: 400,
    wide: 400,
    objects: 400,
    values: 400,
    size: 413,
    type: 415,
    key: 401,
  },
  kinds({ flooder }) {
    const of = (path: string, bytes: Buffer, headers = {}) => {
      return (request: number) => ({
        path,
        body: bytes,
        headers: { 'x-api-key': flooder.keys[request % flooder.keys.length]!, ...headers },
      });
    };
    const text = body.text();
    return {
      syntax: of(accounts, body.syntax(name)),
      levels: of(accounts, body.levels(name, 'tags')),
      fields: of(accounts, body.fields(name)),
      wide: of(accounts, body.fields(`${name}"tags":{`, '}}')),
      objects: of(accounts, body.list(`${name}"tags":`, '{}', '}')),
      values: of(activities, body.list('"contact_ids":', '1', '}')),
      size: of(accounts, Buffer.concat([text, text])),
      type: of(accounts, text, { 'content-type': 'text/plain' }),
      key: of(accounts, text, { 'x-api-key': wrongKey }),
    };
  },
});

/** Batches, whose items are validated one by one. */
export const refusedBatches = refusedBodies({
  name: 'refused-batches',
  app: 'records-api',
  probes: ['get', 'post'],
  of: '300,000 items; 500 items with 200 unknown fields, with different unknown fields, with 900 wrong values, or with deep values; syntax',
  statuses: { items: 400, fields: 409, distinct: 409, values: 409, levels: 409, syntax: 400 },
  kinds({ flooder }) {
    const of = (path: string, bytes: Buffer) => (request: number) => ({
      path: `${path}/batch`,
      body: bytes,
      headers: { 'x-api-key': flooder.keys[request % flooder.keys.length]! },
    });
    const items = '"operation":"create","atomic":true,"items":';
    const fields = JSON.stringify(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, 0])));
    const listOf = (item: string) => Buffer.from(`{${items}[${Array.from({ length: 500 }, () => item).join()}]}`);
    const values = Array.from({ length: 900 }, () => 1).join();
    return {
      items: of(accounts, body.list(items, '{}', '}')),
      fields: of(accounts, listOf(fields)),
      distinct: of(accounts, body.distinct(items, 500, '}')),
      values: of(activities, listOf(`{"content":"x","contact_ids":[${values}]}`)),
      levels: of(accounts, listOf(`{"tags":${'['.repeat(900)}${']'.repeat(900)}}`)),
      syntax: of(accounts, body.syntax(`${items}[],`)),
    };
  },
});
