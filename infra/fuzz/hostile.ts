import type { Random } from '@relata/testbed/random';

const words = (line: string) => line.split(' ');

export const prototypeKeys = [...words('__proto__ constructor prototype toString hasOwnProperty then'), ''];

/** Strings for bodies and query parameters. */
export const texts: readonly string[] = [
  ...words('-1 1e999 0x10 NaN null %00 %zz {{7*7}} ../../etc/passwd <script>alert(1)</script> 0000-00-00T00:00:00Z'),
  ...words('+275760-09-13T00:00:00.001Z 9999-12-31T23:59:60Z 2024-02-30T25:61:61+99:99 -000001-01-01T00:00:00Z'),
  ...words('2026-01-01 infinity epoch 00000000-0000-0000-0000-000000000000 ffffffff-ffff-ffff-ffff-ffffffffffff'),
  ...words('{019a1b2c-0000-7000-8000-000000000001} a@b http://[::1 http://user:pass@host:99999/ javascript:alert(1)'),
  ...words('Europe/Zürich +99:99 (a+)+$'),
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udc00y',
  '\u2028',
  '\ufeff',
  '\u202e',
  'e\u0301'.repeat(500),
  '👩‍👩‍👧‍👧'.repeat(50),
  'x'.repeat(10_000),
  '9'.repeat(400),
  "' OR 1=1 --",
  '"; DROP TABLE accounts; --',
  '\\',
  '${{ inputs.email }}',
  `${'a'.repeat(300)}@example.com`,
  'https://xn--a.example/\u0000',
  '^\u0001$',
  ...prototypeKeys,
];

const numbers = [0, -0, -1, 1.5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 3_000_000_000, 1e21, 1e308, 5e-324];
const rawNumbers = ['1e999', '-1e999', '1e-999', '9223372036854775807', '9223372036854775808', `1${'0'.repeat(400)}`];

/** Returns a value that no field expects. */
export function hostileValue(random: Random): unknown {
  switch (random.between(0, 9)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return random.pick(texts);
    case 4:
      return random.pick(numbers);
    case 5:
      return `@number ${random.pick(rawNumbers)}@`;
    case 6:
      return random.pick([null, true, false, [], {}, [[]], [null], { a: 1 }]);
    case 7:
      return `@nested ${random.pick(['[', '{'])} ${random.pick([10, 33, 101, 2_000, 20_000])}@`;
    case 8:
      return Object.fromEntries(prototypeKeys.map((key) => [key, random.pick(texts)]));
    default:
      return Array.from({ length: random.pick([1, 101, 1_001]) }, () => random.pick(['x', 1, null, {}]));
  }
}

/** Replaces placeholders by numbers that JavaScript cannot represent, and by deeply nested arrays or objects. */
export const withRaw = (json: string) =>
  json
    .replaceAll(/"@number ([^"@]+)@"/g, '$1')
    .replaceAll(/"@nested ([[{]) (\d+)@"/g, (_, open: string, levels: string) =>
      open === '['
        ? '['.repeat(Number(levels)) + ']'.repeat(Number(levels))
        : `${'{"a":'.repeat(Number(levels))}1${'}'.repeat(Number(levels))}`,
    );

/** Segments of a path, which are sent as they are. */
export const segments: readonly string[] = [
  ...words(
    '%zz % %f %ff %00 %c0%af %c0%80 %e0%80%af %f0%80%80%af %ed%a0%80 %E0%A4%A %2e%2e %2F %5c %0d%0a %250 .. . / *',
  ),
  ...words(';x=1 a:b ~ -1 0'),
  '',
  '\u00ff\u0080',
  'x'.repeat(3_000),
  '%41'.repeat(1_000),
  ...prototypeKeys,
];

/** Pieces of a query, which are sent as they are. */
export const queryPieces: readonly string[] = [
  ...words('%zz=1 a=%ff = &&& a a[]=1&a[]=2 a[b][c]=1 __proto__[x]=1 __proto__=1 constructor[prototype][x]=1'),
  ...words('limit=1&limit=2 limit=1e3 limit=%00 offset=99999999999999999999 offset=-1 cursor=%ff cursor=AAAA'),
  ...words('cursor=AAAA&offset=1 offset=10001&sort=-id sort=- sort=amount&sort=id q=%cc%81%cc%81 q=aa:*%20|%20!bb'),
  ...words('fields=id,,__proto__ expand=owner,, created_at[gte]=0001-01-01T00:00:00Z'),
  ...words('created_at[gt]=9999-12-31T23:59:59.999Z count=exact&count=none ? a=%c0%af'),
  `cursor=${Buffer.from('["x","019a1b2c-0000-7000-8000-000000000001","\\u0000"]').toString('base64url')}`,
  'q=%f0%9f%a6%be a',
  Array.from({ length: 101 }, (_, at) => `id[in]=019a1b2c-0000-7000-8000-${String(at).padStart(12, '0')}`).join('&'),
  'q=\u00ff',
  `q=${'x'.repeat(6_000)}`,
  Array.from({ length: 500 }, (_, at) => `p${at}=1`).join('&'),
];

/** Values of headers, which are sent as they are. */
export const headerValues: readonly string[] = [
  ...words('" * W/"x" ,,,, %zz -1 99999999999999999999 __proto__ Bearer relata_sk_'),
  ...words('00-00000000000000000000000000000000-0000000000000000-00 http://[ null'),
  '',
  ' ',
  '\u0080\u00ff',
  '"1", "2", *',
  'a=b; c=d; =; ;',
  'Bearer ',
  'Basic %%%',
  `relata_sk_${'x'.repeat(43)}`,
  'x'.repeat(4_000),
  '127.0.0.1, ::1, unknown, [::1]:80, 999.1.1.1',
];

export const headerNames: readonly string[] = [
  ...words('Accept Accept-Encoding Authorization Content-Encoding Content-Length Content-Type Cookie Expect Forwarded'),
  ...words('Host Idempotency-Key If-Match If-Modified-Since If-None-Match Last-Event-ID Origin Prefer Range Referer'),
  ...words('Sec-Fetch-Site Transfer-Encoding Upgrade X-Api-Key X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto'),
  ...words('X-HTTP-Method-Override X-Hub-Signature-256 X-Request-Id X-Shopify-Hmac-Sha256 X-Slack-Signature'),
  ...words('X-Webhook-Secret Stripe-Signature Traceparent Tracestate __proto__ constructor'),
];

export const methods = [...words('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE QUERY PROPFIND get')];

export const contentTypes = [
  ...words('text/plain application/x-www-form-urlencoded application/merge-patch+json APPLICATION/JSON;;; */*'),
  'application/json; charset=utf-16',
  'application/json; charset="',
  'multipart/form-data; boundary=x',
  '',
];
