export { Redaction } from './redaction.ts';
export { seal, sealedBytes, type SealContext, type SealedValue, unseal, whyUnreadable } from './sealed-value.ts';
export { SecretError } from './secret.error.ts';
export type { EncryptionKeys } from './encryption-keys.ts';
export { reencryption } from './reencrypt.sql.ts';
export {
  listOrganizationsToReencrypt,
  listSecrets,
  readSecrets,
  reencryptSecrets,
  removeSecret,
  setSecret,
} from './secret.sql.ts';
export { notifySettings, secretsSettings, signingSettings } from './secrets.settings.ts';
