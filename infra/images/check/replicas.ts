import type { Stack } from './docker.ts';

/** Throws unless an app has as many processes as its setting says, and keeps them when Compose is brought up again. */
export function checkReplicas(stack: Stack): void {
  stack.set('RECORDS_API_REPLICAS', '2');
  for (let round = 0; round < 2; round++) {
    stack.up();
    const found = stack.compose(['ps', '--quiet', 'records-api']).trim().split('\n').length;
    if (found !== 2) throw new Error(`records-api has ${found} processes, and RECORDS_API_REPLICAS is 2.`);
  }
}
