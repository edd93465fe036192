import { hmac } from './hmac.ts';

/** GitHub's signatures: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
export const github = hmac({
  header: 'x-hub-signature-256',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: 'sha256=',
  template: '{body}',
});
