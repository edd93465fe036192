import { hash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { statement } from '@relata/db';
import { expect, test } from 'vitest';
import { post } from '../webhook-ingest.harness.ts';
import { postHeaders, startSignedReceiver } from './signed.harness.ts';

interface Event {
  name: string;
  examples: unknown[];
}

const corpus = new URL(import.meta.resolve('@octokit/webhooks-examples'));
const events: Event[] = JSON.parse(await readFile(corpus, 'utf8'));
const postsAtOnce = 16;

const keptHashes = statement<{ hash: string }>(
  'test.kept_hashes',
  "SELECT encode(sha256(body), 'hex') AS hash FROM webhook_deliveries WHERE org_id = $1",
);

test('every example of GitHub, signed as GitHub does, is kept byte for byte', async () => {
  await using receiver = await startSignedReceiver();
  const target = await receiver.newSignedTrigger({ kind: 'github' });
  // Every other example is indented, so that parsing and serializing a body would change its bytes.
  const posts = events.flatMap(({ name, examples }) =>
    examples.map((example, at) => ({ name, body: JSON.stringify(example, undefined, at % 2) })),
  );
  expect(posts).toHaveLength(329);
  const left = posts.values();
  const send = async () => {
    for (const { name, body } of left) {
      const headers = { 'x-github-event': name, 'x-github-delivery': randomUUID(), ...postHeaders(target, { body }) };
      const { status } = await post(receiver.url, target.id, { body, headers });
      expect(status, name).toBe(202);
    }
  };
  await Promise.all(Array.from({ length: postsAtOnce }, send));
  const kept = (await receiver.db.database.query(keptHashes, [receiver.orgId])).map((row) => row.hash);
  // Some examples have equal bytes, which makes them repeats.
  const sent = new Set(posts.map(({ body }) => hash('sha256', body)));
  expect(kept.toSorted()).toEqual([...sent].toSorted());
});
