import { isUuid } from '@relata/schemas';
import type { Request } from 'express';
import type { TriggerCache } from './trigger-cache.ts';
import type { TriggerSnapshot } from './trigger-snapshot.ts';

/** Finds the active trigger that a URL names. */
export function findActiveTrigger(
  request: Request,
  triggers: TriggerCache,
): TriggerSnapshot | undefined | Promise<TriggerSnapshot | undefined> {
  const id = (request.params['triggerId'] as string).toLowerCase();
  return isUuid(id) ? triggers.find(id) : undefined;
}
