import { describe, expect, test } from 'vitest';
import { findSignatureKind } from './kinds.ts';
import { opens, type Vector } from './signature.harness.ts';

const hourMs = 3_600_000;

/**
 * Posts with signatures that others have published, or made with other programs; `first` is a part of the signature
 * header.
 */
const vectors: Record<string, Vector & { first: string }> = {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
  github: {
    kind: findSignatureKind({ kind: 'github' }),
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: { 'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    nowMs: 0,
    first: '757107ea',
  },
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme
  'standard-webhooks': {
    kind: findSignatureKind({ kind: 'standard-webhooks' }),
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    nowMs: 1_614_265_330_000,
    first: 'g0hM9SsE',
  },
  // https://api.slack.com/authentication/verifying-requests-from-slack
  slack: {
    kind: findSignatureKind({ kind: 'slack' }),
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    headers: {
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      'X-Slack-Request-Timestamp': '1531420618',
    },
    nowMs: 1_531_420_618_000,
    first: 'a2114d57',
  },
  // From SQLPage's documentation of Shopify's signatures: https://sql-page.com/functions.sql?function=hmac
  shopify: {
    kind: findSignatureKind({ kind: 'shopify' }),
    secret: 'test-webhook-secret',
    body: '{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}',
    headers: { 'X-Shopify-Hmac-Sha256': 'QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw=' },
    nowMs: 0,
    first: 'QNyObTlK',
  },
  // HubSpot's rules applied with openssl: https://developers.hubspot.com/docs/guides/apps/authentication/validating-requests
  hubspot: {
    kind: findSignatureKind({ kind: 'hubspot' }),
    secret: 'yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy',
    body: '{"example_field":"example_value"}',
    headers: {
      'X-HubSpot-Signature-v3': 'RUyr5ZsCNnCjkfyQpOw4QJoQtll0dCQzc5b8WZTIBBg=',
      'X-HubSpot-Request-Timestamp': '1700000000123',
    },
    uris: ['http://www.example.com/webhook_uri?at=a%3Ab%20c', 'https://www.example.com/webhook_uri?at=a%3Ab%20c'],
    nowMs: 1_700_000_000_123,
    first: 'RUyr5ZsC',
  },
  // The rules of https://docs.stripe.com/webhooks#verify-manually applied with openssl.
  stripe: {
    kind: findSignatureKind({ kind: 'stripe' }),
    secret: 'whsec_test_secret_of_an_endpoint',
    body: '{"id":"evt_test","object":"event"}',
    headers: {
      'Stripe-Signature':
        't=1700000000,v1=192adfb47f932f181b532f719c36d0603f54d02a3f346b0ec636d9f61ad177ca,v0=6ffbb59b',
    },
    nowMs: 1_700_000_000_000,
    first: '192adfb4',
  },
  // The text of RFC 4231, test case 2, with a longer key and openssl.
  hmac: {
    kind: findSignatureKind({
      kind: 'hmac',
      options: { header: 'x-signature', algorithm: 'sha512', encoding: 'hex', prefix: 'v9:', template: '{body}' },
    }),
    secret: 'Jefejefe',
    body: 'what do ya want for nothing?',
    headers: {
      'X-Signature':
        'v9:8269f1c6cac45300ac4027e1df1d0e3dc757c08ae015b108b3f3095f49f83ac8cd08d52f65a3a4030ea679148af7a9ce96635be0a1f622413513cd1a3a3b243c',
    },
    nowMs: 0,
    first: '8269f1c6',
  },
};

/** Returns the headers with another first character of the signature. */
const changed = ({ headers, first }: Vector & { first: string }) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(first, () => (first.startsWith('0') ? '1' : '0') + first.slice(1)),
    ]),
  );

describe.for(Object.entries(vectors))('%s', ([name, vector]) => {
  const { kind, headers, body, nowMs } = vector;
  const signatureName = Object.keys(headers).find((header) => header.toLowerCase() === kind.families[0][0]);
  const signature = headers[signatureName!]!;

  test('S.1: accepts the documented signature, whatever the case of its header', () => {
    expect(opens(vector)).toBe(true);
    const upper = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toUpperCase(), value]));
    expect(opens({ ...vector, headers: upper })).toBe(true);
  });

  test('S.1: refuses a changed body, a changed signature, and another secret', () => {
    const bytes = Buffer.from(body);
    for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
      const other = Buffer.from(bytes);
      other[at]! ^= 1;
      expect(opens({ ...vector, body: other })).toBe(false);
    }
    expect(opens({ ...vector, body: Buffer.concat([bytes, Buffer.from('\n')]) })).toBe(false);
    expect(changed(vector)).not.toEqual(headers);
    expect(opens({ ...vector, headers: changed(vector) })).toBe(false);
    const other = name === 'standard-webhooks' ? kind.secret.make!() : 'another-secret-of-it';
    expect(opens({ ...vector, secret: other })).toBe(false);
    expect(opens({ ...vector, secret: [other, vector.secret as string] })).toBe(true);
  });

  test('S.1: refuses a repeated header, also with the same value', () => {
    for (const [header, value] of Object.entries(headers)) {
      expect(opens({ ...vector, again: { [header.toLowerCase()]: value } })).toBe(false);
      expect(opens({ ...vector, again: { [header.toUpperCase()]: '' } })).toBe(false);
    }
  });

  test('refuses a signature that is cut, longer, empty or missing', () => {
    for (const text of ['', signature.slice(0, -1), `${signature}0`, signature.slice(1), 'sha256=', ' '])
      expect(opens({ ...vector, headers: { ...headers, [signatureName!]: text } })).toBe(
        // Each of several parts in one header is read separately.
        name === 'stripe' && text !== '' && text.includes('v1=') && text.startsWith('t='),
      );
    for (const header of Object.keys(headers)) {
      const { [header]: _, ...others } = headers;
      expect(opens({ ...vector, headers: others })).toBe(false);
    }
  });

  test.runIf(kind.writeTime)('S.1: refuses a time more than five minutes away, or other than the signed one', () => {
    for (const away of [299_000, -299_000]) expect(opens({ ...vector, nowMs: nowMs + away })).toBe(true);
    for (const away of [301_000, -301_000, hourMs]) expect(opens({ ...vector, nowMs: nowMs + away })).toBe(false);
    const seconds = Math.floor(nowMs / 1_000);
    const later = Object.fromEntries(
      Object.entries(headers).map(([key, value]) => [key, value.replace(String(seconds), String(seconds + 1))]),
    );
    expect(later).not.toEqual(headers);
    expect(opens({ ...vector, headers: later })).toBe(false);
  });
});
