import { abortOf } from '../until.ts';
import { judge, type JudgeOptions } from './judge.ts';
import { measure, type Pace } from './measure.ts';
import type { Neighbour } from './neighbour.ts';
import type { Row } from './report.ts';
import { openServers, type Servers } from './test-bed/servers.ts';

interface RowOptions extends JudgeOptions {
  pace: Pace;
  /** How often a row is measured again where only a time was exceeded. */
  repeats: number;
  say: (line: string) => void;
}

interface SuiteOptions extends RowOptions {
  rows: readonly Neighbour[];
  signal: AbortSignal;
}

/** Where more than this share of the processor was stolen, times say more of the hypervisor than of the service. */
const stolenMax = 0.03;

/** How often that is no measurement at all, and costs none of the repeats. */
const disturbedMax = 3;

/** Measures row after row on servers of their own. */
export async function runSuite(options: SuiteOptions): Promise<Row[]> {
  const { rows, say, signal } = options;
  await using servers = await openServers(signal);
  const done: Row[] = [];
  for (const row of rows) {
    signal.throwIfAborted();
    say(`${row.name}: ${row.flood}`);
    // An abort does not wait for the current row to end: its processes end with this one.
    const result = await Promise.race([runRow(row, servers, options), abortOf(signal)]);
    if (result.measured) say(`  the flood: ${JSON.stringify(result.measured.figures)}`);
    for (const { text } of result.faults) say(`  ${text}`);
    if (result.faults.length === 0) say('  holds');
    done.push(result);
  }
  return done;
}

/** Measures a row and judges it; one that cannot be measured does not hold. */
export async function runRow(row: Neighbour, servers: Servers, options: RowOptions): Promise<Row> {
  let [repeats, disturbed] = [0, 0];
  for (let tries = 1; ; tries++) {
    const result = { ...(await measureAndJudge(row, servers, options)), tries };
    const { faults, measured } = result;
    if (faults.length === 0 || faults.some(({ isOfTime }) => !isOfTime)) return result;
    const isDisturbed = (measured?.stolen ?? 0) > stolenMax && ++disturbed <= disturbedMax;
    if (!isDisturbed && repeats++ >= options.repeats) return result;
    const why = isDisturbed ? 'the hypervisor took the processor away' : 'only time was at fault';
    options.say(`  once more, since ${why}: ${faults.map(({ text }) => text).join('; ')}`);
  }
}

async function measureAndJudge(row: Neighbour, servers: Servers, options: RowOptions): Promise<Omit<Row, 'tries'>> {
  try {
    const measured = await measure(row, servers, options.pace);
    return { row, measured, faults: judge(row, measured, options) };
  } catch (error) {
    options.say(String((error as Error).stack));
    return {
      row,
      measured: undefined,
      faults: [{ isOfTime: false, text: `not measured: ${(error as Error).message}` }],
    };
  }
}
