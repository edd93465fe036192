import type { Stack } from './docker.ts';

/** Throws if an app does not have the number of processes in its setting, or loses them at a second `compose up`. */
export function checkReplicas(stack: Stack): void {
  stack.set('RECORDS_API_REPLICAS', '2');
  for (let round = 0; round < 2; round++) {
    stack.up();
    const found = stack.compose(['ps', '--quiet', 'records-api']).trim().split('\n').length;
    if (found !== 2) throw new Error(`records-api has ${found} processes, but RECORDS_API_REPLICAS is 2.`);
  }
}
