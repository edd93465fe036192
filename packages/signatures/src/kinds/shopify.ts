import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

/** Shopify. The secret is the app's client secret, or the secret on the notifications page of the shop. */
export const shopify: SignedKind = {
  ...hmacScheme({ header: 'x-shopify-hmac-sha256', encoding: 'base64' }),
  maker: 'Shopify',
  page: 'https://shopify.dev/docs/apps/build/webhooks/subscribe/https',
  secret: textSecret({ isOurs: false, mistakes: [[/^shp(at|ca|pa)_/, 'an access token of Shopify']] }),
  // An event has one id, whatever its subscriptions; the topic is added because one event can cause posts on several
  // topics.
  repeatKey:
    '"x-shopify-event-id" in delivery.headers' +
    ' ? delivery.headers["x-shopify-topic"] + " " + delivery.headers["x-shopify-event-id"]' +
    ' : delivery.headers["x-shopify-webhook-id"]',
  // https://help.shopify.com/en/manual/fulfillment/setup/notifications/webhooks
  setup: [
    { text: 'In the Shopify admin, open Settings, Notifications, Webhooks, and choose Create webhook.' },
    { text: 'Choose the event and a recent API version. Format', value: 'JSON' },
    { text: 'URL', shows: 'url' },
    { text: 'Save. The page shows the secret that signs your webhooks.', shows: 'sender_secret' },
    { text: 'Choose Send test next to the webhook.' },
  ],
  sample: (id) => ({
    headers: {
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': 'acme.myshopify.com',
      'x-shopify-event-id': id,
      'x-shopify-webhook-id': id,
    },
    body: {
      id: 820982911946154,
      email: 'ada@example.com',
      name: '#1001',
      total_price: '403.00',
      currency: 'USD',
      billing_address: { company: 'Example Robotics' },
      customer: { id: 115310627314723, email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' },
      line_items: [{ id: 866550311766439, title: 'Tea pot', quantity: 1, price: '403.00' }],
    },
  }),
};
