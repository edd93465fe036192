import { describeMachine } from '@relata/testbed/machine';
import { listenForStop } from '../local/supervisor/stop-request.ts';
import { runSuiteProgram, say, integer } from '@relata/testbed/suite-program';
import { bounds } from './check-row.ts';
import { neighbours } from './neighbours.ts';
import { reportOf } from './report.ts';
import { runSuite } from './suite.ts';

const usage = `Usage: npm run neighbours -- [options]

One organization floods each shared resource in turn, while another organization sends small requests. The p99 of the
other organization may be at most 3 times its p99 without the flood, or 75 ms if that is more. None of its requests may
take longer than a second, and none may fail. Prints a table in Markdown to standard output. Exits with 0 only if every
row holds.

  --only NAMES    rows to measure, separated by commas: ${neighbours.map(({ name }) => name).join(', ')}
  --seconds N     duration of the measurement during each flood, and of the measurement before it (10)
  --floor MS      p99 without the flood that counts if the measured one is lower (25)
`;

await runSuiteProgram({
  usage,
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    floor: { type: 'string', default: String(bounds.floorMs) },
  },
  async run({ only, seconds, floor }) {
    const { signal } = listenForStop();
    const floodMs = integer('seconds', seconds, usage) * 1_000;
    const held = { ...bounds, floorMs: integer('floor', floor, usage) };
    const rows = only === undefined ? neighbours : only.split(',').map(rowOf);
    const durations = { warmUpMs: 1_500, baselineMs: floodMs, floodMs, afterMs: 500, isFull: true };
    const done = await runSuite({ rows, durations, ...held, say, signal });
    console.log(`${reportOf(done, held)}\n\n${describeMachine('18')}`);
    const failed = done.filter(({ faults }) => faults.length > 0).length;
    console.log(failed === 0 ? '\nEvery row holds.' : `\n${failed} of ${done.length} rows do not hold.`);
    process.exitCode = failed === 0 ? 0 : 1;
  },
});

function rowOf(name: string) {
  const found = neighbours.find((row) => row.name.toLowerCase() === name.trim().toLowerCase());
  if (!found) throw new Error(`There is no row ${name}.\n\n${usage}`);
  return found;
}
