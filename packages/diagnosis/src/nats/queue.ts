import { runsReady } from '@relata/messaging';
import { type Check, ok, warning } from '../check.ts';
import { some } from '../words.ts';

/**
 * Number of waiting messages that is a warning. Each names up to 16 runs. The queue drops messages older than an hour,
 * and the sweep finds their runs.
 */
const waitingMax = 10_000;

/** Checks that the queue of runs has the configuration of the code, and that workers keep up with it. */
export const queue: Check = {
  name: 'queue',
  needs: 'nats',
  judge: async ({ messaging }) => {
    const { stream, isMissing, waiting, unconfirmed, differences } = await messaging.queueState(runsReady);
    if (isMissing)
      return warning(`The stream ${stream} or its consumer is missing.`, 'Start a worker: the first one makes both.');
    if (differences.length > 0)
      return warning(
        `The stream ${stream} differs from the configuration that this release creates: ${some(differences)}.`,
        'See NATS_STREAM_REPLICAS; else delete the stream while no worker runs, and start one: no run is lost.',
      );
    const found = `${waiting} messages wait for a worker, and ${unconfirmed} are not confirmed.`;
    return waiting > waitingMax ? warning(found, 'Start more workers.') : ok(found);
  },
};
