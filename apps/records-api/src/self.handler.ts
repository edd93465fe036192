import type { Caller } from '@relata/auth';
import { bodyBytesMax } from '@relata/http';
import type { RateLimit } from '@relata/runtime';
import { batchItemsMax, itemsPerRequest, type Self } from '@relata/schemas';

/** Describes the caller's key and its limits. */
export function describeSelf(caller: Caller, rateLimit: RateLimit): Self {
  return {
    organization: { id: caller.orgId, name: caller.orgName },
    key: {
      id: caller.keyId,
      name: caller.keyName,
      kind: caller.kind,
      last_four: caller.lastFour,
      scopes: [...caller.scopes],
      expires_at: caller.expiresAt,
    },
    limits: {
      requests: rateLimit && { limit: rateLimit.points, window_seconds: rateLimit.windowMs / 1_000 },
      body_bytes: bodyBytesMax,
      batch_items: batchItemsMax,
      batch_items_per_request: itemsPerRequest,
      page_size: 100,
    },
  };
}
