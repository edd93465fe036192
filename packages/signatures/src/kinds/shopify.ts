import { textSecret } from '../encodings.ts';
import type { SignatureKind } from '../signature-kind.ts';
import { hmac } from './hmac.ts';

/**
 * Shopify's signatures: https://shopify.dev/docs/apps/build/webhooks/subscribe/https. The secret is the app's client
 * secret, or the one that the shop shows on its page of notifications.
 */
export const shopify: SignatureKind = {
  ...hmac({
    header: 'x-shopify-hmac-sha256',
    algorithm: 'sha256',
    encoding: 'base64',
    prefix: '',
    template: '{body}',
  }),
  secret: textSecret(false),
};
