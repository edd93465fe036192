import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SignatureSpec, findSignatureKind } from '../kinds.ts';
import { opens } from '../signature.harness.ts';

const secret = 'a-secret-of-a-sender';
const body = '{"a":1}';
const nowMs = 1_700_000_000_000;
const read = (options: object) => SignatureSpec.safeParse({ kind: 'hmac', options: { header: 'X-Sig', ...options } });
const kindOf = (options: object) => findSignatureKind(read(options).data as Extract<SignatureSpec, { kind: 'hmac' }>);

test('a signature follows the configured algorithm, encoding, prefix and template', () => {
  const options = fc.record({
    algorithm: fc.constantFrom('sha1', 'sha256', 'sha512'),
    encoding: fc.constantFrom('hex', 'base64'),
    prefix: fc.constantFrom('', 'v1=', '$&'),
    template: fc.constantFrom('{body}', '{timestamp}.{body}', 'v1:{body}:{timestamp}', '$&{timestamp}$1{body}'),
  });
  fc.assert(
    fc.property(options, fc.uint8Array(), (given, bytes) => {
      const timed = given.template.includes('{timestamp}');
      const [before, after] = given.template.replace('{timestamp}', () => '1700000000').split('{body}');
      const made = createHmac(given.algorithm, secret).update(before!).update(bytes).update(after!);
      const headers = { 'x-sig': given.prefix + made.digest(given.encoding as 'hex'), 'x-time': '1700000000' };
      const kind = kindOf({ ...given, ...(timed && { timestampHeader: 'X-Time' }) });
      const post = { kind, secret, headers, body: Buffer.from(bytes), nowMs };
      expect(opens(post)).toBe(true);
      expect(opens({ ...post, body: Buffer.concat([bytes, Buffer.of(0)]) })).toBe(false);
      expect(opens({ ...post, nowMs: nowMs + 301_000 })).toBe(!timed);
    }),
  );
});

test.for(['1700000000', '1700000000000', '2023-11-14T22:13:20Z', '2023-11-14T23:13:20.000+01:00'])(
  'the time %s is read as the right instant',
  (time) => {
    const kind = kindOf({ template: '{timestamp}{body}', timestampHeader: 'X-Time' });
    const signature = createHmac('sha256', secret).update(time).update(body).digest('hex');
    const post = { kind, secret, headers: { 'X-Sig': signature, 'X-Time': time }, body, nowMs };
    expect(opens({ ...post, nowMs: nowMs + 300_000 })).toBe(true);
    expect(opens({ ...post, nowMs: nowMs + 301_000 })).toBe(false);
  },
);

test.for(['', 'soon', '-1', '1e9', '2023-11-14', '1700000000 ', '99999999999999999999'])('%j is no time', (time) => {
  const kind = kindOf({ template: '{timestamp}{body}', timestampHeader: 'X-Time' });
  const signature = createHmac('sha256', secret).update(time).update(body).digest('hex');
  expect(opens({ kind, secret, headers: { 'X-Sig': signature, 'X-Time': time }, body, nowMs })).toBe(false);
});

test.for([
  [{ header: 'Authorization' }, 'header'],
  [{ header: 'x sig' }, 'header'],
  [{ algorithm: 'md5' }, 'algorithm'],
  [{ encoding: 'base32' }, 'encoding'],
  [{ template: '{timestamp}' }, 'template'],
  [{ template: '{body}{body}' }, 'template'],
  [{ template: '{timestamp}{body}' }, 'timestampHeader'],
  [{ timestampHeader: 'X-Time' }, 'timestampHeader'],
  [{ template: '{timestamp}{body}', timestampHeader: 'x-sig' }, 'timestampHeader'],
  [{ prefix: 'a b' }, 'prefix'],
  [{ unknown: 1 }, ''],
] as const)('%j is refused', ([options, at]) => {
  expect(read(options).error?.issues.map(({ path }) => path.at(-1))).toContain(at === '' ? 'options' : at);
});

test.for(['short', 'with\nbreaks in it', ' spaces around ', '', 'x'.repeat(1_025)])('%j is no secret', (text) => {
  expect(kindOf({}).secret.keyOf(text)).toBeUndefined();
});
