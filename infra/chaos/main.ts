import { listenForStop } from '../local/supervisor/stop-request.ts';
import { runSuiteProgram, say, integer } from '@relata/testbed/suite-program';
import { runChaos } from './chaos.ts';
import { holds } from './checks/check.ts';
import { figuresOf } from './evidence/figures.ts';
import { reportOf } from './evidence/report.ts';

const usage = `Usage: npm run chaos -- [options]

Posts to two receivers, writes to two replicas of the records API, and follows its events. Records of another
organization are deleted, restored and merged. Meanwhile these processes, three workers, PostgreSQL and NATS are killed,
frozen and disconnected. Then checks that nothing was lost, done twice or done early. Exits with 0 only if every check
holds.

  --seconds N   duration of the faults (180)
  --rate N      deliveries per second (60); a third as many writes go to the API, and a quarter as many to the records
                of the other organization
  --seed N      repeats the faults and posts of an earlier run, though not their timing
  --cluster     with three NATS servers that share their streams
`;

/** Maximum time beyond `--seconds`: for the start, for faults that were not injected yet, and for the end. */
const mostBesidesMs = 400_000;

await runSuiteProgram({
  usage,
  options: {
    seconds: { type: 'string', default: '180' },
    rate: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    cluster: { type: 'boolean', default: false },
  },
  async run({ seconds, rate, seed, cluster }) {
    const stop = listenForStop();
    const durationMs = integer('seconds', seconds, usage) * 1_000;
    const { evidence, checks } = await runChaos({
      seed: integer('seed', seed, usage),
      durationMs,
      postsPerSecond: integer('rate', rate, usage),
      natsNodes: cluster ? 3 : 1,
      leaseMs: 3_000,
      calmMs: 2_500,
      warmUpMs: 4_000,
      say,
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(durationMs + mostBesidesMs)]),
    });
    console.log(reportOf(figuresOf(evidence), checks));
    process.exitCode = checks.every(holds) ? 0 : 1;
    console.log(process.exitCode === 0 ? '\nEvery check holds.' : `\nAt least one check failed; seed ${seed}.`);
  },
});
