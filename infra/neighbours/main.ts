import { parseArgs } from 'node:util';
import { describeMachine } from '../../bench/report/machine.ts';
import { listenForStop } from '../local/supervisor/stop-request.ts';
import { neighbours } from './neighbours.ts';
import { reportOf } from './report.ts';
import { runSuite } from './suite.ts';

const usage = `Usage: npm run neighbours -- [options]

For each resource that organizations share, one floods it while another asks for small things: the other's p99 must stay
within 3 times its own of the same run (1.5 times where the flood only reaches a limit), and nothing of it may fail.
Prints a table in Markdown to standard output; ends with 0 only if every row holds.

  --only NAMES    rows to measure, separated by commas: ${neighbours.map(({ name }) => name).join(', ')}
  --seconds N     how long the other is measured beside each flood (10); a baseline takes half of it, twice
  --floor MS      a baseline's p99 below this counts as this (10)
  --repeats N     how often a row is measured again where nothing but time was at fault (2)
`;

const options = {
  only: { type: 'string' },
  seconds: { type: 'string', default: '10' },
  floor: { type: 'string', default: '10' },
  repeats: { type: 'string', default: '2' },
  help: { type: 'boolean', default: false },
} as const;

// A reader that has gone is no reason to leave processes behind.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

try {
  const { values } = parseArgs({ options });
  if (values.help) process.stdout.write(usage);
  else await run(values);
} catch (error) {
  console.error(error);
  process.exit(1);
}

interface Values {
  only?: string;
  seconds: string;
  floor: string;
  repeats: string;
}

async function run({ only, seconds, floor, repeats }: Values): Promise<void> {
  const { signal } = listenForStop();
  const floodMs = wholeNumber('seconds', seconds) * 1_000;
  const floorMs = wholeNumber('floor', floor);
  const rows = only === undefined ? neighbours : only.split(',').map(rowOf);
  const pace = { warmUpMs: 1_500, baselineMs: floodMs / 2, floodMs, afterMs: 500, isFull: true };
  const done = await runSuite({ rows, pace, floorMs, repeats: wholeNumber('repeats', repeats), say, signal });
  console.log(`${reportOf(done, { floorMs })}\n\n${describeMachine('18')}`);
  const failed = done.filter(({ faults }) => faults.length > 0).length;
  console.log(failed === 0 ? '\nEvery row holds.' : `\n${failed} of ${done.length} rows do not hold.`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function rowOf(name: string) {
  const found = neighbours.find((row) => row.name.toLowerCase() === name.trim().toLowerCase());
  if (!found) throw new Error(`There is no row ${name}.\n\n${usage}`);
  return found;
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Error(`--${name} must be a whole number.\n\n${usage}`);
  return Number(text);
}

function say(line: string): void {
  console.error(`${new Date().toLocaleTimeString('en-GB')} ${line}`);
}
