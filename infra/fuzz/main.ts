import { listenForStop } from '../local/supervisor/stop-request.ts';
import { openBedServers } from '@relata/testbed/service-bed';
import { runSuiteProgram, say, integer } from '@relata/testbed/suite-program';
import { runFuzz } from './fuzz.ts';

const usage = `Usage: npm run fuzz -- [options]

Sends random requests to the bundles of the records API, the chat, the console and the receiver. Some are valid, others
have hostile paths, queries, headers or bodies. Exits with 0 only if all requests were sent and no response was faulty,
for example a 5xx. A 503 with Retry-After is allowed.

  --requests N    number of requests (20000)
  --seed N        repeats the requests of an earlier run
  --minutes N     stops after this time (30)
  --lists         sends requests only to lists of records and their sums, whose queries have dozens of parameters
`;

await runSuiteProgram({
  usage,
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '30' },
    lists: { type: 'boolean', default: false },
  },
  async run({ requests, seed, minutes, lists }) {
    const deadline = AbortSignal.timeout(integer('minutes', minutes, usage) * 60_000);
    const signal = AbortSignal.any([listenForStop().signal, deadline]);
    await using servers = await openBedServers('fuzz', signal);
    const count = integer('requests', requests, usage);
    const { sent, statuses, faults } = await runFuzz({
      servers,
      seed: integer('seed', seed, usage),
      requests: count,
      onlyLists: lists,
      signal,
      say,
    });
    for (const [app, counts] of Object.entries(statuses)) console.log(`${app}: ${JSON.stringify(counts)}`);
    for (const fault of faults) console.log(fault);
    console.log(`${sent} of ${count} requests sent, ${faults.length} faults; seed ${seed}.`);
    process.exitCode = faults.length === 0 && sent === count ? 0 : 1;
  },
});
