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

/** Fields of a record, of which every third time one is at fault. */
function fieldsOf(resource: Resource): fc.Arbitrary<Fields> {
  const fault = fc.constantFrom(...faults[resource]).map(({ field, value }) => ({ [field]: value }));
  return fc
    .tuple(valid[resource], fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fault }))
    .map(([fields, wrong]) => ({ ...fields, ...wrong }));
}

/** Ids and times are of their own in each database; what is left says the same. */
function comparable(body: unknown, { tenant }: TestApi): unknown {
  const text = JSON.stringify(body, (name, value: unknown) =>
    ['id', 'created_at', 'updated_at', 'request_id', 'candidate_ids', 'doc_url'].includes(name) ? undefined : value,
  );
  return JSON.parse(text.replaceAll(tenant.ids.account, 'account').replace(/match: [0-9a-f-]{36}.*?\./g, 'match.'));
}

async function expectSame(alone: { status: number; body: Fields }[], items: { status: number; error?: object }[]) {
  const [first, second] = twins;
  const asItems = alone.map(({ status, body }) => {
    const { meta: _meta, ...rest } = body;
    return { status, ...(status < 400 ? rest : { error: body }) };
  });
  const withoutMeta = items.map(({ index: _index, meta: _meta, ...item }: Fields) => item);
  expect(comparable(withoutMeta, second)).toEqual(comparable(asItems, first));
}

describe.each(resources)('%s', (resource) => {
  const complete = (fields: Fields, { tenant }: TestApi) =>
    resource === 'opportunities' ? { account_id: tenant.ids.account, ...fields } : fields;

  test('items of creates have the status and the body of single calls on a twin', async () => {
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

  test('items of upserts that may be of the same record do, too', async () => {
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
