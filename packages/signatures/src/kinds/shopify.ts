import { textSecret } from '../encodings.ts';
import { bodySignature } from './body-signature.ts';

/**
 * https://shopify.dev/docs/apps/build/webhooks/subscribe/https: the secret is the app's client secret, or the one that the
 * shop shows where its notifications are configured.
 */
export const shopify = bodySignature({
  header: 'x-shopify-hmac-sha256',
  algorithm: 'sha256',
  encoding: 'base64',
  prefix: '',
  secret: textSecret(false),
});
