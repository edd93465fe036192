import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

/**
 * Stripe. The header has a second `v1` while an endpoint's secret is rolled. Other schemes (`v0`) belong to test events
 * and do not count. The secret as written, including `whsec_`, is the key.
 */
export const stripe: SignedKind = {
  ...hmacScheme({
    header: 'stripe-signature',
    template: '{timestamp}.{body}',
    timePart: 't',
    signaturePart: 'v1',
  }),
  maker: 'Stripe',
  page: 'https://docs.stripe.com/webhooks#verify-manually',
  secret: textSecret({
    isOurs: false,
    mistakes: [
      [/^(sk|rk)_/, 'a secret API key of Stripe'],
      [/^pk_/, 'a publishable API key of Stripe'],
      [/^(we|evt|acct)_/, 'an id of Stripe'],
    ],
  }),
  repeatKey: 'payload.id',
  // https://docs.stripe.com/webhooks
  setup: [
    { text: 'In the Stripe Dashboard, open Developers, Webhooks, and choose Add destination.' },
    { text: 'Select the events to send, and Webhook endpoint as the destination type.' },
    { text: 'Endpoint URL', shows: 'url' },
    { text: 'Open the new destination and reveal its signing secret (whsec_…).', shows: 'sender_secret' },
  ],
  sample: (id) => ({
    body: {
      id: `evt_${id}`,
      object: 'event',
      type: 'checkout.session.completed',
      livemode: false,
      data: {
        object: {
          id: `cs_${id}`,
          object: 'checkout.session',
          amount_total: 4_900,
          currency: 'usd',
          customer_details: { email: 'ada@example.com', name: 'Ada Lovelace', phone: '+442079460000' },
          payment_status: 'paid',
        },
      },
    },
  }),
};
