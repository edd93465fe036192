export {
  type ApiKey,
  createApiKey,
  findApiKeyOrganization,
  findCaller,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from './api-key.sql.ts';
export { toActor, type Caller } from './caller.ts';
export { createKey, revokeKey, rotateKey, updateKey } from './key.operations.ts';
export { Expiry, Origin, OverlapMs } from './key.schema.ts';
export { generateCredential, hashCredential, isSameHash, isWellFormed } from './key-format.ts';
export { KeyUses } from './key-uses.ts';
export { CallerCache } from './caller-cache.ts';
export { KnownOrigins } from './known-origins.ts';
export { renameOrganization } from './organization.operations.ts';
export {
  createOrganization,
  findOrganization,
  findOrganizationName,
  findOrganizationsNamed,
  listOrganizations,
  type Organization,
} from './organization.sql.ts';
