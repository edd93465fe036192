import { markdownTable, milliseconds } from '@relata/testbed/markdown';
import { boundMs, type Bounds } from './check-row.ts';
import type { Measured, MemoryBound, Neighbour } from './neighbour.ts';
import type { Latencies } from './probe/probe.ts';

export interface Row {
  row: Neighbour;
  /** Undefined if the row could not be measured; then a fault says why. */
  measured: Measured | undefined;
  faults: string[];
}

const head = [
  'Row',
  'Flood',
  'Holds',
  'The other',
  'Alone p50 / p99',
  'Flooded p50 / p99',
  'Bound',
  'Longest',
  'Failed',
  'Memory',
];
const textColumns = 4;

/** Returns all rows as Markdown, one line for each probe, and below them the conditions that do not hold. */
export function reportOf(rows: readonly Row[], options: Bounds): string {
  const lines = rows.flatMap((row) => linesOf(row, options));
  const faults = rows.flatMap(({ row, faults: found }) => found.map((fault) => `- ${row.name}: ${fault}`));
  return [markdownTable(head, lines, textColumns), ...(faults.length > 0 ? ['', ...faults] : [])].join('\n');
}

function linesOf({ row, measured, faults }: Row, options: Bounds): string[][] {
  const verdict = faults.length === 0 ? 'yes' : '**no**';
  if (!measured) return [[row.name, row.flood, verdict, '', '', '', '', '', '', '']];
  return measured.probes.map(({ probe, baseline, flooded }, at) => [
    at === 0 ? row.name : '',
    at === 0 ? row.flood : '',
    at === 0 ? verdict : '',
    probe,
    pair(baseline),
    pair(flooded),
    `${Math.round(boundMs(baseline, options))} ms`,
    `${milliseconds(flooded.longestMs)} ms`,
    failuresOf(flooded),
    at === 0 && row.memory ? memoryOf(row.memory, measured.memoryMb) : '',
  ]);
}

const pair = ({ p50Ms, p99Ms }: Latencies) => `${milliseconds(p50Ms)} / ${milliseconds(p99Ms)} ms`;

function failuresOf({ failures, asked }: Latencies): string {
  const all = Object.entries(failures).map(([reason, times]) => `${times} × ${reason}`);
  return all.length === 0 ? 'none' : `${all.join(', ')} of ${asked}`;
}

function memoryOf(memory: MemoryBound, memoryMb: number | undefined): string {
  return `${memory.app} ${memoryMb === undefined ? 'not known' : `${Math.round(memoryMb)} MB`} of ${memory.mostMb} MB`;
}
