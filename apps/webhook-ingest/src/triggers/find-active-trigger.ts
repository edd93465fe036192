import { isUuid } from '@relata/schemas';
import type { TriggerCache } from './trigger-cache.ts';
import type { TriggerSnapshot } from './trigger-snapshot.ts';

/** Finds the active trigger that the path of a URL names, in upper or lower case. */
export function findActiveTrigger(
  triggerId: unknown,
  triggers: TriggerCache,
): TriggerSnapshot | undefined | Promise<TriggerSnapshot | undefined> {
  const id = String(triggerId).toLowerCase();
  return isUuid(id) ? triggers.find(id) : undefined;
}
