export {
  type ApiKey,
  createApiKey,
  findApiKeyOrganization,
  findCaller,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  setApiKeyOrigins,
} from './api-key.sql.ts';
export type { Caller } from './caller.ts';
export { generateCredential, hashCredential, isSameHash, isWellFormed } from './key-format.ts';
export { KeyUses } from './key-uses.ts';
export { Keyring } from './keyring.ts';
export { KnownOrigins } from './known-origins.ts';
export { createOrganization, findOrganizationName, listOrganizations, type Organization } from './organization.sql.ts';
