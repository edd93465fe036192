import { textSecret } from '../encodings.ts';
import { bodySignature } from './body-signature.ts';

/**
 * Shopify's signatures: https://shopify.dev/docs/apps/build/webhooks/subscribe/https. The secret is the app's client
 * secret, or the one that the shop shows on its page of notifications.
 */
export const shopify = bodySignature({
  header: 'x-shopify-hmac-sha256',
  algorithm: 'sha256',
  encoding: 'base64',
  prefix: '',
  secret: textSecret(false),
});
