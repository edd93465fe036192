import { buildDocs } from '@relata/docs-web/build';
import { abortOf } from '@relata/testbed/until';
import { checkRow, type Bounds } from './check-row.ts';
import { measure, type Durations } from './measure.ts';
import type { Neighbour } from './neighbour.ts';
import type { Row } from './report.ts';
import { type BedServers, openBedServers } from '@relata/testbed/service-bed';

interface RowOptions extends Bounds {
  durations: Durations;
  say: (line: string) => void;
}

interface SuiteOptions extends RowOptions {
  rows: readonly Neighbour[];
  signal: AbortSignal;
}

/** Measures the rows one after the other, on servers that only this suite uses. */
export async function runSuite(options: SuiteOptions): Promise<Row[]> {
  const { rows, say, signal } = options;
  await using servers = await openBedServers('neighbours', signal);
  const done: Row[] = [];
  for (const row of rows) {
    signal.throwIfAborted();
    say(`${row.name}: ${row.flood}`);
    // An abort does not wait for the current row to end: its processes end with this one.
    const result = await Promise.race([runRow(row, servers, options), abortOf(signal)]);
    if (result.measured) say(`  the flood: ${JSON.stringify(result.measured.figures)}`);
    for (const fault of result.faults) say(`  ${fault}`);
    if (result.faults.length === 0) say('  holds');
    done.push(result);
  }
  return done;
}

/** Measures a row and checks it. A row that cannot be measured counts as failed. */
export async function runRow(row: Neighbour, servers: BedServers, options: RowOptions): Promise<Row> {
  try {
    // The row of downloads requests the documentation pages.
    await buildDocs();
    const measured = await measure(row, servers, options.durations);
    return { row, measured, faults: checkRow(row, measured, options) };
  } catch (error) {
    options.say(String((error as Error).stack));
    return { row, measured: undefined, faults: [`not measured: ${(error as Error).message}`] };
  }
}
