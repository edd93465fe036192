import { textSecret } from '../encodings.ts';
import { bodySignature } from './body-signature.ts';

/** GitHub's signatures: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
export const github = bodySignature({
  header: 'x-hub-signature-256',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: 'sha256=',
  secret: textSecret(true),
});
