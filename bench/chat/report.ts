import { tableOf } from '../table.ts';
import { count, markdownTable, milliseconds, ratio, yesOrNo } from '@relata/testbed/markdown';
import type { Answering } from './answering.ts';
import { type BuiltIn, builtInAtOnce, type BuiltInRound } from './built-in.ts';
import { type CrowdRound, crowdScript, crowdSize } from './crowd.ts';
import type { Comparison } from './round.ts';

/** Targets as multiples of the floor. */
const targets = { firstToken: 1.3, cpu: 1.3, memory: 1 };

const times = (relata: number, floor: number) => relata / floor;

export function firstTokenTable(rows: readonly Answering[]): string {
  const p50Of = ({ floor, relata }: Answering) => times(relata.firstP50Ms, floor.firstP50Ms);
  return tableOf(
    rows,
    ['the model begins after', ({ script }) => `${script.firstMs} ms`],
    ['at once', ({ atOnce }) => String(atOnce)],
    ['floor p50 ms', ({ floor }) => milliseconds(floor.firstP50Ms)],
    ['Relata p50 ms', ({ relata }) => milliseconds(relata.firstP50Ms)],
    ['ratio', (row) => ratio(p50Of(row))],
    ['floor p99 ms', ({ floor }) => milliseconds(floor.firstP99Ms)],
    ['Relata p99 ms', ({ relata }) => milliseconds(relata.firstP99Ms)],
    ['ratio', ({ floor, relata }) => ratio(times(relata.firstP99Ms, floor.firstP99Ms))],
    ['target', () => `p50 ≤ ${targets.firstToken}`],
    ['holds', (row) => yesOrNo(p50Of(row) <= targets.firstToken)],
  );
}

export function tokenTable(rows: readonly Answering[]): string {
  const cost = 'CPU ms per 1,000 tokens';
  const cpuOf = ({ floor, relata }: Answering) => times(costOf(relata), costOf(floor));
  return tableOf(
    rows,
    ['at once', ({ atOnce }) => String(atOnce)],
    ['floor tokens/s', ({ floor }) => count(floor.tokensPerSecond)],
    ['Relata tokens/s', ({ relata }) => count(relata.tokensPerSecond)],
    ['ratio', ({ floor, relata }) => ratio(times(relata.tokensPerSecond, floor.tokensPerSecond))],
    [`floor ${cost}`, ({ floor }) => milliseconds(costOf(floor))],
    ['Relata', ({ relata }) => milliseconds(costOf(relata))],
    ['ratio', (row) => ratio(cpuOf(row))],
    ['target', () => `≤ ${targets.cpu}`],
    ['holds', (row) => yesOrNo(cpuOf(row) <= targets.cpu)],
  );
}

function costOf({ cpuSeconds, tokens }: { cpuSeconds: number; tokens: number }): number {
  return (cpuSeconds * 1e6) / tokens;
}

export function crowdTable({ floor, relata }: Comparison<CrowdRound>): string {
  const { tokens, gapMs } = crowdScript;
  const title = `${crowdSize} answers at once, of ${tokens} tokens each, one token every ${gapMs} ms`;
  const row = (name: string, of: (round: CrowdRound) => number, format: (value: number) => string, most?: number) => {
    const share = times(of(relata), of(floor));
    const compared = most === undefined ? ['none set', ''] : [`≤ ${most}`, yesOrNo(share <= most)];
    return [name, format(of(floor)), format(of(relata)), ratio(share), ...compared];
  };
  return markdownTable(
    [title, 'floor', 'Relata', 'ratio', 'target', 'holds'],
    [
      row('complete answers', ({ answers }) => answers, count),
      row('seconds until the last one ended', ({ seconds }) => seconds, milliseconds),
      row('first token p50 ms', ({ firstP50Ms }) => firstP50Ms, count),
      row('first token p99 ms', ({ firstP99Ms }) => firstP99Ms, count, targets.firstToken),
      row('share of a core', ({ cpuSeconds, seconds }) => cpuSeconds / seconds, ratio),
      row('CPU seconds', ({ cpuSeconds }) => cpuSeconds, milliseconds, targets.cpu),
      row('MB resident before', ({ beforeBytes }) => beforeBytes / 1e6, count),
      row('MB resident at most', ({ peakBytes }) => peakBytes / 1e6, count),
      row('KB resident per answer', ({ streamBytes }) => streamBytes / 1e3, count, targets.memory),
    ],
  );
}

export function builtInTable({ relata, ceiling }: BuiltIn): string {
  const row = (title: string, round: BuiltInRound) => [
    title,
    count(round.answersPerSecond),
    count((round.cpuSeconds * 1e6) / round.answers),
    ratio(ceiling.cpuSeconds / ceiling.answers / (round.cpuSeconds / round.answers)),
    milliseconds(round.wholeP50Ms),
    milliseconds(round.wholeP99Ms),
  ];
  return markdownTable(
    ['the built-in model', 'answers/s', 'CPU µs per answer', 'share of search and model', 'p50 ms', 'p99 ms'],
    [row(`${builtInAtOnce} at once, whole answers`, relata), row('search and model alone, one by one', ceiling)],
  );
}
