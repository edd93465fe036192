import { type Check, checkOn, fault, ok, warning } from '../check.ts';
import { errorReason } from '../reason.ts';

const connectMs = 3_000;
const usedShareMax = 0.8;

/**
 * Checks that NATS is connected. Without NATS everything works, but with delays: revoked keys work for up to 5 s, and
 * runs start some seconds later.
 */
export const reachable: Check = {
  name: 'nats',
  run: async ({ messaging }) =>
    (await messaging.connected(connectMs))
      ? ok('NATS answers.')
      : fault(
          `NATS cannot be reached, or refused the token${messaging.refusal ? `: ${messaging.refusal}` : ''}.`,
          'Check that NATS runs at NATS_URL and accepts its token. If NATS_URL begins with tls://, NATS must have TLS.',
        ),
};

/** Checks that JetStream is available and has free storage. */
export const jetStream = checkOn('nats', 'jetstream', async ({ messaging }) => {
  const storage = await messaging.storage().catch((error: unknown) => errorReason(error));
  if (typeof storage === 'string')
    return fault(
      `JetStream cannot be used: ${storage}.`,
      'Start NATS with JetStream (-js), and enable it for the account.',
    );
  const { used, most } = storage;
  if (most === null) return ok(`JetStream uses ${megabytes(used)}, and the account has no limit.`);
  const found = `JetStream uses ${megabytes(used)} of ${megabytes(most)}.`;
  return used > most * usedShareMax ? warning(found, 'Increase max_file of the account.') : ok(found);
});

const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`;
