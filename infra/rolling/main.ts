import { randomBytes } from 'node:crypto';
import { describeMachine } from '@relata/testbed/machine';
import { openServers } from '@relata/testbed/servers';
import { numberOf } from '../generate/kubernetes/settings.ts';
import { listenForStop } from '../local/supervisor/stop-request.ts';
import { type AppName, services } from '../services.ts';
import { runSuiteProgram, say, integer } from '@relata/testbed/suite-program';
import { claims } from './claims.ts';
import { reportOf } from './report.ts';
import { runRolling } from './rolling.ts';

const usage = `Usage: npm run rolling -- [options]

Replaces the replicas of every app, one after another, by those of the next release, while its migration is applied and
clients read and write records, post webhooks, ask the chat, use the console and follow events. Processes have the stop
times of the Kubernetes files. Exits with 0 only if no request failed, nothing was lost, and no stream was cut off.

  --back         then replaces them all again by those of the present release, on the schema of the next one
  --replicas N   number of replicas of each app (2)
  --answer N     duration of an answer of the chat, in seconds (20)
  --calm N       seconds of load before the migration and after the last replica (10)
`;

const millisecondsOf = (name: string) => (app: AppName) =>
  numberOf(
    services.find((each) => each.name === app)!,
    name,
  );

await runSuiteProgram({
  usage,
  options: {
    back: { type: 'boolean', default: false },
    replicas: { type: 'string', default: '2' },
    answer: { type: 'string', default: '20' },
    calm: { type: 'string', default: '10' },
  },
  async run({ back, replicas, answer, calm }) {
    const { signal } = listenForStop();
    await using stack = new AsyncDisposableStack();
    const options = {
      goesBack: back,
      writes: 1,
      replicas: integer('replicas', replicas, usage),
      answerMs: integer('answer', answer, usage) * 1_000,
      calmMs: integer('calm', calm, usage) * 1_000,
      drainMs: millisecondsOf('STOP_DRAIN_MS'),
      stopMs: millisecondsOf('STOP_TIMEOUT_MS'),
      seed: Date.now() % 1_000_000,
      say,
      signal,
    };
    const appRole = { name: 'relata_app', password: randomBytes(24).toString('base64url') };
    const settings = { max_connections: '200' };
    const { postgres, nats } = await openServers(stack, { name: 'rolling', settings, appRole, signal });
    const app = Object.assign(new URL(postgres.url), { username: appRole.name, password: appRole.password });
    const servers = { databaseUrl: app.href, ownerUrl: postgres.url, natsUrl: nats.url };
    const rolled = await runRolling({ ...options, servers });
    const failed = Object.entries(claims).map(([claim, find]) => ({ claim, problems: find(rolled, options) }));
    console.log(`${reportOf(rolled, failed)}\n\n${describeMachine('18')}`);
    process.exitCode = failed.every(({ problems }) => problems.length === 0) ? 0 : 1;
  },
});
