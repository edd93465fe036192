import { findSignatureKind, type SignedKindName } from './kinds.ts';
import type { Vector } from './signature.harness.ts';

interface MadeVector extends Vector {
  secret: string;
  /** Beginning of the signature. */
  first: string;
}

/** Posts with signatures that others have published, or that were computed with other programs. */
export const vectors: Record<SignedKindName | 'svix' | 'hmac with parts and an id', MadeVector> = {
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
  // The data of RFC 4231, test case 2, signed by openssl with a longer key.
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
  // The post of `standard-webhooks`, with the headers of Svix:
  // https://docs.svix.com/receiving/verifying-payloads/how-manual
  svix: {
    kind: findSignatureKind({ kind: 'standard-webhooks' }),
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    nowMs: 1_614_265_330_000,
    first: 'g0hM9SsE',
  },
  // Computed with openssl, like all signatures below, by the formula on the page that the kind names.
  meta: {
    kind: findSignatureKind({ kind: 'meta' }),
    secret: 'meta-app-secret',
    body: '{"object":"page","entry":[]}',
    headers: { 'X-Hub-Signature-256': 'sha256=5dcb51eb590634700c8d9cc1fde4d2d5981ca7bb83f250eb3fb71bfd849057ed' },
    nowMs: 0,
    first: '5dcb51eb',
  },
  zoom: {
    kind: findSignatureKind({ kind: 'zoom' }),
    secret: 'zoom-secret-token',
    body: '{"event":"meeting.started"}',
    headers: {
      'x-zm-signature': 'v0=786c4446a640d95353b44534c52c31a8be0a5eadf45b4a1715cb39d62fa6acd1',
      'x-zm-request-timestamp': '1700000000',
    },
    nowMs: 1_700_000_000_000,
    first: '786c4446',
  },
  calendly: {
    kind: findSignatureKind({ kind: 'calendly' }),
    secret: 'calendly-signing-key',
    body: '{"event":"invitee.created"}',
    headers: {
      'Calendly-Webhook-Signature': 't=1700000000,v1=81a9bfd092b45e5532457d73f595f87d45462d421449a6bae3fa0fa5ec207239',
    },
    nowMs: 1_700_000_000_000,
    first: '81a9bfd0',
  },
  paddle: {
    kind: findSignatureKind({ kind: 'paddle' }),
    secret: 'pdl_ntfset_01gkpjp8bkm3tm53kdgkx6sms7_6h3qd3uFSi9YCD3OLYAShQI90XTI5vEI',
    body: '{"event_type":"transaction.billed"}',
    headers: {
      'Paddle-Signature': 'ts=1700000000;h1=c9526f39f2c33562724e0c4282ddf5f0b5e97e449c2d8f9308b21e59af093294',
    },
    nowMs: 1_700_000_000_000,
    first: 'c9526f39',
  },
  typeform: {
    kind: findSignatureKind({ kind: 'typeform' }),
    secret: 'typeform-secret',
    body: '{"event_type":"form_response"}',
    headers: { 'Typeform-Signature': 'sha256=ccOJ1IxNlv5QQl8sn1KA38fn+VH1wMJR9b1DGamNjBs=' },
    nowMs: 0,
    first: 'ccOJ1Ix',
  },
  linear: {
    kind: findSignatureKind({ kind: 'linear' }),
    secret: 'lin_wh_0123456789abcdef',
    body: '{"action":"create","type":"Issue"}',
    headers: { 'Linear-Signature': 'b4fd36fe8df2827dddd1deaa85107cc863b1e206f824552e11e9e5bee2d189bb' },
    nowMs: 0,
    first: 'b4fd36fe',
  },
  intercom: {
    kind: findSignatureKind({ kind: 'intercom' }),
    secret: 'intercom-client-secret',
    body: '{"type":"notification_event"}',
    headers: { 'X-Hub-Signature': 'sha1=941ff7fcd8244a68faffd37016f6a1ee9566549f' },
    nowMs: 0,
    first: '941ff7fc',
  },
  zendesk: {
    kind: findSignatureKind({ kind: 'zendesk' }),
    secret: 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==',
    body: '{"type":"zen:event-type:ticket.created"}',
    headers: {
      'X-Zendesk-Webhook-Signature': 'ihwhsTILIxgLoPsBQi0wT6RihdOTQB0XYhn4GckQNec=',
      'X-Zendesk-Webhook-Signature-Timestamp': '2023-11-14T22:13:20Z',
    },
    nowMs: 1_700_000_000_000,
    first: 'ihwhsTIL',
  },
  'hmac with parts and an id': {
    kind: findSignatureKind({
      kind: 'hmac',
      options: {
        header: 'acme-proof',
        algorithm: 'sha256',
        encoding: 'base64',
        prefix: '',
        template: '{id}.{timestamp}.{body}',
        idHeader: 'acme-id',
        timePart: 't',
        signaturePart: 'v1',
      },
    }),
    secret: 'sender-with-parts',
    body: '{"a":1}',
    headers: { 'Acme-Proof': 't=1700000000,v1=mc9/wFK7Sm1UFyOE7ZAlgWEzDtceCuoulubFeAUz/qQ=', 'Acme-Id': 'msg_1' },
    nowMs: 1_700_000_000_000,
    first: 'mc9/wFK7',
  },
};
