import { createOrganization } from '@relata/auth';
import { newId, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { endSessions, removeMember } from '@relata/people';
import { expectWithin, readEventStream, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, joinAs, signedIn } from '../console-client.harness.ts';
import { startTestConsole, type TestConsole } from '../console.harness.ts';
import { Examples } from '../examples.harness.ts';

let served: TestConsole;
let acme: Examples;
let globex: Examples;

beforeAll(async () => {
  served = await startTestConsole();
  acme = new Examples(served.db, (await createOrganization(served.db.database, 'Acme')).id);
  globex = new Examples(served.db, (await createOrganization(served.db.database, 'Globex')).id);
});
afterAll(() => served[Symbol.asyncDispose]());

const join = (role: 'viewer' | 'admin' = 'viewer', email = `s${newId()}@acme.example`) =>
  joinAs(served.db, acme.orgId, role, email);

const open = (cookie: string, url = served.url) =>
  readEventStream(`${url}/console/api/orgs/${acme.orgId}/stream`, { Cookie: cookie, Accept: 'text/event-stream' });

type Stream = Awaited<ReturnType<typeof open>>;

const kindsOf = ({ parser }: Stream) => new Set(parser.events.flatMap(({ data }) => data.split(',')));

/** Waits until changes of a kind are reported. */
async function untilReported({ parser }: Stream, kind: string): Promise<void> {
  const from = parser.events.length;
  await until(() => expect(parser.events.slice(from).flatMap(({ data }) => data.split(','))).toContain(kind));
}

const personOf = async (email: string) => {
  const found = statement<{ id: string; user_id: string | null }>(
    'test.find_person',
    'SELECT p.id, m.user_id FROM people p LEFT JOIN memberships m ON m.person_id = p.id WHERE p.email = $1',
  );
  return (await served.db.database.query(found, [email]))[0]!;
};

test('a stream reports only the kinds of changed data of its own organization', async () => {
  await using stream = await open(await join());
  expect(Object.fromEntries(stream.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'private, no-store',
    'x-accel-buffering': 'no',
  });
  await globex.run();
  const reported = untilReported(stream, 'deliveries');
  await acme.delivery();
  await reported;
  const failed = untilReported(stream, 'runs');
  await acme.run('failed');
  await failed;
  const written = untilReported(stream, 'events');
  await acme.key();
  await written;
  expect(new Set(stream.parser.events.map(({ type }) => type))).toEqual(new Set(['change']));
  for (const { data } of stream.parser.events) expect(data).toMatch(/^(deliveries|runs|events)(,(runs|events))*$/);

  const other = await readEventStream(`${served.url}/console/api/orgs/${globex.orgId}/stream`, {
    Cookie: await joinAs(served.db, globex.orgId, 'viewer', 'g@globex.example'),
    Accept: 'text/event-stream',
  });
  const before = stream.parser.events.length;
  const theirs = untilReported(other, 'deliveries');
  await globex.delivery();
  await theirs;
  await other.close();
  expect(stream.parser.events.length).toBe(before);
});

test('a burst of a hundred deliveries causes a handful of messages', async () => {
  const trigger = await acme.trigger();
  await using stream = await open(await join());
  const reported = untilReported(stream, 'deliveries');
  await acme.deliveries(trigger, 100);
  await reported;
  expect(kindsOf(stream)).toContain('deliveries');
  expect(stream.parser.events.length).toBeLessThan(10);
});

test('changes made at one replica are reported at another', async () => {
  const cookie = await join('admin');
  await using replica = await served.startReplica();
  await using stream = await open(cookie, replica.url);
  const reported = untilReported(stream, 'events');
  const key = { kind: 'secret', scopes: ['records:read'], name: 'Replicated' };
  const path = `/console/api/orgs/${acme.orgId}/keys`;
  expect((await new Browser(served.url, cookie).send('POST', path, { body: key })).status).toBe(201);
  await reported;
});

test('6: a stream ends within 5 s of its session, and cannot be opened again', async () => {
  await expectWithin(5_000, async () => {
    const email = `ended${newId()}@acme.example`;
    const cookie = await join('viewer', email);
    await using stream = await open(cookie);
    const endedAt = performance.now();
    await endSessions(served.db.database, (await personOf(email)).id);
    expect(await stream.end()).toBe('cleanly');
    const tookMs = performance.now() - endedAt;
    expect((await open(cookie)).status).toBe(401);
    return tookMs;
  });
});

test('a stream ends when its reader is removed from the organization, even if the person has another session', async () => {
  const email = 'removed@acme.example';
  const cookie = await join('viewer', email);
  await using stream = await open(cookie);
  const { user_id: id } = await personOf(email);
  await removeMember({ database: served.db.database }, operatorActor(acme.orgId, 'test'), id!);
  expect(await stream.end()).toBe('cleanly');
  expect([401, 404]).toContain((await open(cookie)).status);
});

test('a person can have four streams, whose slots are free again once they are closed; other people have their own', async () => {
  const email = 'many@acme.example';
  const cookie = await join('viewer', email);
  const second = await signedIn(served.db, email);
  const streams = await Promise.all([cookie, cookie, second, second].map((each) => open(each)));
  const refused = await open(cookie);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('30');
  expect(refused.body).toMatchObject({ error: 'rate_limited' });
  await using others = await open(await join());
  expect(others.status).toBe(200);
  for (const stream of streams) await stream.close();
  await until(async () => {
    await using again = await open(cookie);
    expect(again.status).toBe(200);
  });
});

test('a stream sends comments, ends after its time, and does not extend the session', async () => {
  const email = 'idle@acme.example';
  const cookie = await join('viewer', email);
  const { id } = await personOf(email);
  const seen = statement<{ at: string }>('test.seen', 'SELECT seen_at::text AS at FROM sessions WHERE person_id = $1');
  const age = statement<never>(
    'test.age',
    "UPDATE sessions SET seen_at = seen_at - interval '1 hour' WHERE person_id = $1",
  );
  const { database } = served.db;
  await using replica = await served.startReplica({ changeStreams: { lastsMs: 1_500, commentEveryMs: 50 } });
  // On a stalled machine, a stream may end before it has sent anything.
  await until(async () => {
    await using stream = await open(cookie, replica.url);
    await database.query(age, [id]);
    const before = await database.query(seen, [id]);
    const { comments } = stream.parser;
    expect(await stream.end()).toBe('cleanly');
    expect(stream.parser.comments).toBeGreaterThan(comments + 3);
    expect(stream.parser.retryMs).toBe(2_000);
    expect(await database.query(seen, [id])).toEqual(before);
  });
});

test('a process that stops ends its streams first', async () => {
  const cookie = await join();
  const replica = await served.startReplica();
  await using stream = await open(cookie, replica.url);
  await replica[Symbol.asyncDispose]();
  expect(await stream.end()).toBe('cleanly');
});
