import { runsReady } from '@relata/messaging';
import { checkOn, ok, warning } from '../check.ts';
import { formatNames } from '../format.ts';

/**
 * Number of waiting messages above which the check warns. Each message names up to 16 runs. The queue drops messages
 * after an hour; by then the sweep has found their runs.
 */
const waitingMax = 10_000;

/** Checks that the queue of runs has the configuration of the code, and that workers keep up with it. */
export const queue = checkOn('nats', 'queue', async ({ messaging }) => {
  const { stream, isMissing, waiting, unconfirmed, differences } = await messaging.queueState(runsReady);
  if (isMissing)
    return warning(`The stream ${stream} or its consumer is missing.`, 'Start a worker. The first one creates both.');
  if (differences.length > 0)
    return warning(
      `The stream ${stream} differs from the configuration that this release creates: ${formatNames(differences)}.`,
      'Check NATS_STREAM_REPLICAS. Otherwise stop all workers, delete the stream, and start a worker; no ' +
        'run is lost.',
    );
  const found = `${waiting} messages are waiting for a worker, and ${unconfirmed} are unconfirmed.`;
  return waiting > waitingMax ? warning(found, 'Start more workers.') : ok(found);
});
