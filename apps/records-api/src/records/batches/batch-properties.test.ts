import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faults, valid } from '../arbitrary-record.harness.ts';
import { startTestApi, type TestApi } from '../../records-api.harness.ts';

let twins: [TestApi, TestApi];

beforeAll(async () => void (twins = await Promise.all([startTestApi(), startTestApi()])));
afterAll(() => Promise.all(twins.map((api) => api[Symbol.asyncDispose]())));

const resources = ['accounts', 'contacts', 'opportunities'] as const;
type Resource = (typeof resources)[number];
type Fields = Record<string, unknown>;

const pathOf = (resource: string) => `/v1/records/${resource}`;

/** Generates the fields of a record. About every third record has a fault. */
function fieldsOf(resource: Resource): fc.Arbitrary<Fields> {
  const fault = fc.constantFrom(...faults[resource]).map(({ field, value }) => ({ [field]: value }));
  return fc
    .tuple(valid[resource], fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fault }))
    .map(([fields, wrong]) => ({ ...fields, ...wrong }));
}

/** Returns a body without ids and times, which differ between the databases. */
function comparable(body: unknown, { tenant }: TestApi): unknown {
  const text = JSON.stringify(body, (name, value: unknown) =>
    ['id', 'created_at', 'updated_at', 'request_id', 'candidate_ids', 'doc_url'].includes(name) ? undefined : value,
  );
  return JSON.parse(text.replaceAll(tenant.ids.account, 'account').replace(/match: [0-9a-f-]{36}.*?\./g, 'match.'));
}

interface Alone {
  status: number;
  body: Fields;
}

async function expectSame(alone: Alone[], items: { status: number; error?: object }[]) {
  const [first, second] = twins;
  const asItems = alone.map(({ status, body }) => {
    const { meta: _meta, ...rest } = body;
    return { status, ...(status < 400 ? rest : { error: body }) };
  });
  const withoutMeta = items.map(({ index: _index, meta: _meta, ...item }: Fields) => item);
  expect(comparable(withoutMeta, second)).toEqual(comparable(asItems, first));
}

/** Returns a response with the problems of a patch moved to `set`, as in an item. */
function inSet({ status, body }: Alone): Alone {
  const details = body['details'] as { field: string }[] | undefined;
  return {
    status,
    body: { ...body, ...(details && { details: details.map((one) => ({ ...one, field: `set.${one.field}` })) }) },
  };
}

const resourceIds = { accounts: 'account', contacts: 'contact', opportunities: 'opportunity' } as const;

describe.each(resources)('%s', (resource) => {
  const complete = (fields: Fields, { tenant }: TestApi) =>
    resource === 'opportunities' ? { account_id: tenant.ids.account, ...fields } : fields;

  test('B6.1: create items have the status and the body of single calls to an identical API', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fieldsOf(resource), { minLength: 1, maxLength: 12 }), async (bodies) => {
        const [first, second] = twins;
        const alone = [];
        for (const fields of bodies)
          alone.push(await first.tenant.client('POST', pathOf(resource), { body: complete(fields, first) }));
        const items = bodies.map((fields) => complete(fields, second));
        const { body } = await second.tenant.client('POST', `${pathOf(resource)}/batch`, {
          body: { operation: 'create', items },
        });
        await expectSame(alone, body.data);
      }),
      { numRuns: 12 },
    );
  });

  test('B6.1: update items have the status and the body of single calls, for any record and version', async () => {
    const targets = fc.constantFrom('a', 'b', 'theirs', 'nope');
    const versions = fc.constantFrom(undefined, '*', '"other"');
    const change = fc.tuple(targets, fieldsOf(resource), versions);
    const [made] = fc.sample(valid[resource], 1);
    const idsIn = async (api: TestApi): Promise<Record<string, string>> => {
      const post = async () =>
        (await api.tenant.client('POST', pathOf(resource), { body: complete(made!, api) })).body.data.id as string;
      return { a: await post(), b: await post(), theirs: api.other.ids[resourceIds[resource]], nope: 'nope' };
    };
    const ids = await Promise.all(twins.map(idsIn));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (all) => {
        const [first, second] = twins;
        const alone: Alone[] = [];
        for (const [target, fields, version] of all) {
          const headers = version === undefined ? {} : { 'If-Match': version };
          const path = `${pathOf(resource)}/${ids[0]![target]}`;
          alone.push(inSet(await first.tenant.client('PATCH', path, { body: complete(fields, first), headers })));
        }
        const items = all.map(([target, fields, if_match]) => ({
          id: ids[1]![target],
          set: complete(fields, second),
          ...(if_match !== undefined && { if_match }),
        }));
        const { body } = await second.tenant.client('POST', `${pathOf(resource)}/batch`, {
          body: { operation: 'update', items },
        });
        await expectSame(alone, body.data);
      }),
      { numRuns: 12 },
    );
  });

  test('B6.1: upsert items that may refer to the same record have the status and the body of single calls', async () => {
    const crmId = fc.constantFrom('a', 'b', 'c');
    const upserts = fc.array(fc.tuple(crmId, fieldsOf(resource)), { minLength: 1, maxLength: 12 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(upserts, async (all) => {
        const [first, second] = twins;
        round++;
        const bodyOf = ([crm_id, fields]: [string, Fields], api: TestApi) => ({
          match: { crm_id: `${crm_id}${round}` },
          set: complete(fields, api),
        });
        const alone = [];
        for (const one of all)
          alone.push(await first.tenant.client('POST', `${pathOf(resource)}/upsert`, { body: bodyOf(one, first) }));
        const { body } = await second.tenant.client('POST', `${pathOf(resource)}/batch`, {
          body: { operation: 'upsert', items: all.map((one) => bodyOf(one, second)) },
        });
        await expectSame(alone, body.data);
      }),
      { numRuns: 12 },
    );
  });
});
