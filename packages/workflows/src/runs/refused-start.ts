import { isUuid } from '@relata/schemas';

/** A start that a trigger refused, because the delivery did not satisfy an input of the workflow. */
export interface RefusedStart {
  triggerId: string;
  input: string;
}

/**
 * Reads the `step` of a problem of refused starts, which is `TRIGGER_ID/INPUT`. Returns undefined for the step of
 * failed runs, which never contains a slash.
 */
export function parseRefusedStart(step: string): RefusedStart | undefined {
  const [triggerId = '', input, ...more] = step.split('/');
  return isUuid(triggerId) && input !== undefined && more.length === 0 ? { triggerId, input } : undefined;
}
