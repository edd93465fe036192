import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDatabase } from '@relata/db';
import { nodeEnvironment } from '@relata/service';
import { listDeliveries } from '@relata/workflows';
import { paths } from '../../local/local.paths.ts';
import { waited } from '../flood.pace.ts';
import type { FloodContext } from '../flood.ts';
import { HttpClient } from '../http.client.ts';
import { neighbour } from '../neighbour.ts';
import { createTarget, type Target } from '../party.ts';

const deliveriesCount = 400;
const perSecond = 80;
const relata = fileURLToPath(new URL('../../../apps/cli/src/main.ts', import.meta.url));
const execute = promisify(execFile);

/** Operators have everything that has failed tried again, and start new runs for what was sent before. */
export const bulkReplays = neighbour<Target>({
  name: 'bulk-replays',
  resource: 'places of a worker',
  flood: `an operator who retries all of ${deliveriesCount} failed runs again and again, and another who replays deliveries`,
  allowed: 3,
  probes: ['run', 'webhook'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare: ({ database }, { orgId }) =>
    createTarget(database, orgId, {
      definition: {
        name: 'fails',
        inputs: { email: { type: 'string', required: true }, none: { type: 'string', required: true } },
        steps: [
          {
            id: 'contact',
            use: 'contact.upsert',
            with: { match: { email: '${{ inputs.email }}' }, set: { first_name: 'To', last_name: 'Be Retried' } },
          },
          {
            id: 'refused',
            use: 'contact.upsert',
            with: { match: { email: '${{ inputs.none }}' }, set: { title: 'None' } },
          },
        ],
      },
      inputs: { email: 'payload.email', none: 'payload.none' },
    }),
  async run(context) {
    await deliver(context);
    await Promise.all([retryOnAndOn(context), replayOnAndOn(context)]);
  },
  hasEffect: ({ figures }) => figures['retried']! >= deliveriesCount && figures['replayed']! >= 2,
});

async function deliver({ urls, own, signal, count }: FloodContext<Target>): Promise<void> {
  using client = new HttpClient(urls['webhook-ingest']!);
  for (let sent = 0; sent < deliveriesCount && !signal.aborted; sent++) {
    const body = { email: `retried-${sent}@crowd.example`, none: 'no address' };
    count(`status ${await client.statusOf({ method: 'POST', path: own.path, headers: own.headers, body, signal })}`);
    await waited(1_000 / perSecond, signal);
  }
}

async function retryOnAndOn(context: FloodContext<Target>): Promise<void> {
  while (!context.signal.aborted) {
    const retried = await command(context, ['runs', 'retry', '--all-failed', '--org', context.flooder.orgId]);
    context.count('retried', (retried as unknown[]).length);
  }
}

async function replayOnAndOn(context: FloodContext<Target>): Promise<void> {
  const { databaseUrl, flooder, signal } = context;
  await using database = openDatabase({ url: databaseUrl, name: 'replays', poolMax: 1 });
  const deliveries = await listDeliveries(database, flooder.orgId, { limit: 100 });
  for (let at = 0; !signal.aborted; at++) {
    await command(context, ['deliveries', 'replay', deliveries[at % deliveries.length]!.id]);
    context.count('replayed');
  }
}

/** One command of the tool, to its end; what it prints. */
async function command({ databaseUrl, natsUrl, natsPrefix }: FloodContext<Target>, args: string[]): Promise<unknown> {
  const { stdout } = await execute(process.execPath, [relata, ...args, '--json'], {
    env: {
      PATH: process.env['PATH'],
      ...nodeEnvironment(paths.compiled),
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      NATS_PREFIX: natsPrefix,
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}
