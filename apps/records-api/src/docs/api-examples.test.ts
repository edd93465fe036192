import { readFile } from 'node:fs/promises';
import { createApiKey, createOrganization } from '@relata/auth';
import { apiClient } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { patternOf, withoutSpace } from './shown-response.harness.ts';

const page = await readFile(new URL('../../../../docs/api.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```\n(curl [^]*?)^```/gm)].map(([, block]) => block!);
/**
 * Examples that can be run. The example of a stream, which never ends, and examples for other systems, which have no
 * $RELATA, are left out.
 */
const examples = blocks.filter((block) => block.includes('$RELATA') && !block.includes('text/event-stream'));

let api: TestApi;
let id: string;
let client: ReturnType<typeof apiClient>;
/** Actual ETags by the ETags that the page shows. */
const etags = new Map<string, string>();

beforeAll(async () => {
  api = await startTestApi();
  const { id: orgId } = await createOrganization(api.db.database, 'Documented');
  const scopes = ['records:read', 'records:write', 'events:read'] as const;
  const { key } = await createApiKey(api.db.database, orgId, { name: 'docs', kind: 'secret', scopes });
  client = apiClient(api.url, key);
  id = (await client('POST', '/v1/records/accounts', { body: { account_name: 'Documented' } })).body.data.id;
  await client('POST', '/v1/records/contacts', { body: { first_name: 'Ada', last_name: 'Lovelace', account_id: id } });
  for (const fields of [{ pipeline: 'Sales', amount: 125_000 }, { pipeline: 'Sales', amount: 0.5 }, {}])
    await client('POST', '/v1/records/opportunities', {
      body: { opportunity_name: 'Deal', account_id: id, ...fields },
    });
});
afterAll(() => api[Symbol.asyncDispose]());

interface Documented {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** The response that the page shows below the command. */
  response: string;
}

/** Parses an example. It reads the command like a shell, as far as the page needs that. */
function readExample(block: string): Documented {
  const [command, response] = block.split(/(?<!\\)\n([^]*)/);
  const words = [...command!.replaceAll('\\\n', ' ').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, a, b, c]) => a ?? b ?? c!,
  );
  const after = (flag: string) => words.flatMap((word, i) => (word === flag ? [words[i + 1]!] : []));
  const headers = after('-H').map((header) => header.split(/: (.*)/) as [string, string]);
  const [body] = after('-d');
  const method = after('-X')[0] ?? (words.some((word) => /^-s?I$/.test(word)) ? 'HEAD' : 'GET');
  const url = words.find((word) => word.startsWith('$RELATA'))!;
  const path = url.slice('$RELATA'.length).replace('$ID', id);
  return { method, path, headers: Object.fromEntries(headers), body, response: response ?? '' };
}

const withEtags = (text: string) => [...etags].reduce((all, [shown, real]) => all.replaceAll(shown, real), text);

/** Fields of every event. Only their names are compared, since the actual event differs from the one on the page. */
const members = ['id', 'type', 'created_at', 'record_type', 'record_id', 'actor', 'request_id', 'record'];
const isOfEvent = (text: string) => members.every((name) => text.includes(`"${name}":`));

/** Returns true if a response looks like the one on the page. */
function isShown({ path, response }: Documented, answered: { text: string; body: unknown }): boolean {
  if (path.startsWith('/v1/events')) return isOfEvent(response) && isOfEvent(answered.text);
  return patternOf(response).test(withoutSpace(JSON.stringify(answered.body)));
}

test('the page has examples', () => expect(examples.length).toBeGreaterThanOrEqual(8));

test.each(examples.map((block, i) => [i, block.split('\n')[0]!, block] as const))(
  'example %i is answered as the page shows: %s',
  async (_i, _command, block) => {
    const documented = readExample(block);
    const { method, path, body, response } = documented;
    const { 'X-Api-Key': _key, ...given } = documented.headers;
    // The example for 412 needs an outdated ETag, so the record is changed first.
    if (response.includes('412')) await client('PATCH', path, { body: { city: 'Bern' } });
    const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, withEtags(value)]));
    const answered = await client(method, path, { headers, ...(body !== undefined && { body }) });
    const [, status] = /^HTTP\/1.1 (\d+)/.exec(response) ?? [];
    expect(status === undefined ? [200, 201] : [Number(status)]).toContain(answered.status);
    const etag = /^ETag: "(.+)"/m.exec(response)?.[1];
    if (etag !== undefined) etags.set(etag, answered.headers.get('etag')!.slice(1, -1));
    expect(!response.startsWith('{') || isShown(documented, answered), answered.text).toBe(true);
  },
);
