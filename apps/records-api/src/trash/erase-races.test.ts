import { newId } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTraces } from './traces.harness.ts';
import { startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

type Answer = Awaited<ReturnType<TrashApi['get']>>;

const rounds = 24;
/** Rounds at once, so that requests of several share transactions. */
const atOnce = 8;

const keyed = (i: number): Record<string, string> => (i % 3 === 0 ? { 'Idempotency-Key': newId() } : {});

/** Erases a person beside another write, many times. Whatever comes first, no byte is left after an erase. */
async function race(
  prepare: (id: string) => Promise<unknown>,
  write: (id: string, unique: string) => Promise<Answer>,
): Promise<string[]> {
  const outcomes = new Set<string>();
  for (let at = 0; at < rounds; at += atOnce) {
    const results = await Promise.all(
      Array.from({ length: atOnce }, async (_, n) => {
        const i = at + n;
        const unique = `q${newId().replaceAll('-', '')}`;
        const fields = { first_name: unique, email: `${unique}@robotics.example` };
        const { id } = await api.make('contacts', fields);
        await prepare(id);
        const erase = () =>
          api.tenant.client('DELETE', api.pathOf('contacts', `/${id}?erase=true&activities=true`), {
            headers: keyed(i),
          });
        const first = i % 2 === 0 ? undefined : write(id, unique);
        const [erased, written] = await Promise.all([erase(), first ?? write(id, unique)]);
        return { unique, outcome: `${erased.status} ${written.status}` };
      }),
    );
    for (const { outcome } of results) outcomes.add(outcome);
    expect(await findTraces(api, ...results.map(({ unique }) => unique))).toEqual([]);
  }
  expect(await api.countDangling()).toBe(0);
  return [...outcomes];
}

const nothing = () => Promise.resolve();

describe('an erase beside another write: no 5xx, and no byte comes back', () => {
  const client: TrashApi['tenant']['client'] = (...given) => api.tenant.client(...given);

  test('a change', async () => {
    const outcomes = await race(nothing, (id, unique) =>
      client('PATCH', api.pathOf('contacts', `/${id}`), { body: { title: unique } }),
    );
    expect(['200 200', '200 404']).toEqual(expect.arrayContaining(outcomes));
  });

  test('a delete', async () => {
    const outcomes = await race(nothing, (id) => api.remove('contacts', id));
    expect(['200 200', '200 404']).toEqual(expect.arrayContaining(outcomes));
  });

  test('a restore', async () => {
    const outcomes = await race(
      (id) => api.remove('contacts', id),
      (id) => api.restore(id),
    );
    expect(['200 200', '200 404']).toEqual(expect.arrayContaining(outcomes));
  });

  test('a merge into it, and into another one', async () => {
    const merge = async (winner: string, loser: string) =>
      client('POST', api.pathOf('contacts', '/merge'), { body: { winner_id: winner, loser_ids: [loser] } });
    const into = await race(nothing, async (id) => merge(id, (await api.make('contacts')).id));
    const from = await race(nothing, async (id) =>
      merge((await api.make('contacts', { email: `${newId()}@robotics.example` })).id, id),
    );
    expect(['200 200', '200 400']).toEqual(expect.arrayContaining([...into, ...from]));
  });

  test('a new activity, opportunity and link', async () => {
    const { id: deal } = await api.make('opportunities');
    const outcomes = await race(nothing, (id) =>
      client('POST', api.pathOf('activities'), {
        body: { content: 'Called', contact_ids: [id], opportunity_ids: [deal] },
      }),
    );
    const linked = await race(nothing, (id) =>
      client('PATCH', api.pathOf('opportunities', `/${deal}`), { body: { contact_ids: [id] } }),
    );
    expect(['200 201', '200 400', '200 200']).toEqual(expect.arrayContaining([...outcomes, ...linked]));
  });

  test('another erase: one of them erases it', async () => {
    const outcomes = await race(nothing, (id) => client('DELETE', api.pathOf('contacts', `/${id}?erase=true`)));
    expect(['200 404', '404 200']).toEqual(expect.arrayContaining(outcomes));
  });
});
