import { coresFor, coresOf, figure, inWords } from './arithmetic.ts';
import { costs as measured, type Costs, floods as measuredFloods, type floodsIn } from './benchmarks.ts';
import { dueRunsPerWorker } from './kubernetes/scaling.ts';
import { alignedTable } from './markdown.ts';
import { measuredMb, memoryMbFor, usualMb } from './memory.ts';
import { fillRegion } from './region.ts';

interface Measured {
  costs?: Costs;
  floods?: ReturnType<typeof floodsIn>;
}

/** The page on scaling, with what follows from the figures of the benchmarks. */
export function scalingPage(present: string, { costs = measured, floods = measuredFloods }: Measured = {}): string {
  const places = {
    costs: costLines,
    examples: exampleLines,
    backlog: backlogLines,
    monthly: monthLines,
    daily: dayLines,
  };
  const filled = Object.entries(places).reduce((page, [name, lines]) => fillRegion(page, name, lines(costs)), present);
  return fillRegion(filled, 'memory', memoryLines(costs, floods));
}

const database = "µs of PostgreSQL's";
const processor = "µs of an app's processor";

function costLines({ delivery, startingDelivery, run, laterRun, create, answer, runsPerSecond }: Costs): string[] {
  const rows = [
    ['a delivery, no workflow', delivery, 'Deliveries and runs, 64 connections'],
    ['a delivery that starts one', startingDelivery, 'the same'],
    ['a run with two records, and its delivery', run, 'the same, the worker with no rows before'],
    ['the same, in a database with many', laterRun, 'the same, with deliveries, runs, journals before'],
    ['a create through the API', create, 'Records, where the time goes'],
    ['an answer of the built-in model', { app: answer, database: undefined }, 'The chat'],
  ] as const;
  const table = alignedTable(
    ['What', processor, database, 'where'],
    rows.map(([what, { app, database: ofDatabase }, where]) => [
      what,
      figure(app),
      ofDatabase === undefined ? '' : figure(ofDatabase),
      where,
    ]),
    new Set([processor, database]),
  );
  return [
    ...table,
    '',
    'A second of a core has 1,000,000 µs. For a load, in each second:',
    '',
    '```',
    `cores of PostgreSQL = (deliveries without a run × ${figure(delivery.database)} + runs × ${figure(laterRun.database)} + creates × ${figure(create.database)}) / 1,000,000, and twice that`,
    `workers             = runs / ${figure(runsPerSecond.later)}, and one more`,
    `receivers           = deliveries × ${figure(delivery.app)} / 1,000,000`,
    `records API         = creates × ${figure(create.app)} / 1,000,000`,
    `chat                = answers of the built-in model × ${figure(answer)} / 1,000,000`,
    '```',
    '',
    `By its processor a worker would do ${figure(1_000_000 / laterRun.app)} runs a second. Measured were ${figure(runsPerSecond.least)} to ${figure(runsPerSecond.most)}, with \`WORKER_CONCURRENCY\` at 16, on two cores`,
    'that it shared with everything else: count with these.',
  ];
}

/** Returns the needs of runs with two records, and of creates beside them. */
export function needsOf({ laterRun, create, delivery, runsPerSecond }: Costs, runs: number, creates = 0) {
  const cores = coresOf(runs * laterRun.database + creates * create.database);
  const workers = runs / runsPerSecond.later;
  // One may be away.
  return { cores, workers, workersFor: Math.ceil(workers) + 1, receivers: coresOf(runs * delivery.app) };
}

function exampleLines(costs: Costs): string[] {
  const { laterRun, create, reads, firstPages } = costs;
  const small = needsOf(costs, 300, 500);
  const medium = needsOf(costs, 2_000);
  const many = needsOf(costs, 10_000);
  return [
    '**An example.** 300 deliveries a second that each start a run with two records, and 500 creates:',
    `(300 × ${figure(laterRun.database)} + 500 × ${figure(create.database)}) / 1,000,000 = ${figure(small.cores)} cores, so ${inWords(coresFor(small.cores))} of PostgreSQL; ${figure(small.workers)} of a worker; ${figure(small.receivers)} of a receiver. That is`,
    'the overlay `small`, and its second replicas are there for the loss of a node.',
    '',
    `**Another.** 2,000 deliveries with such a run: ${figure(medium.cores)} cores, so ${inWords(coresFor(medium.cores))} of PostgreSQL; ${inWords(medium.workersFor - 1)} workers by measurement, so ${inWords(medium.workersFor)}, of which one may be`,
    `away; ${figure(medium.receivers)} of a receiver. That is \`medium\`. From there on the runs are what counts: 10,000 a second are ${figure(many.cores)} cores by this, ${figure(coresFor(many.cores))} to be`,
    'sure of. What comes in beside that, `large` can take; but a single primary that writes this much is where tests of your own',
    'begin.',
    '',
    `Reads of a record are ${figure(reads)} a second from one process, and identical lists ${figure(firstPages)}; they hardly count beside writes.`,
  ];
}

function backlogLines({ runsPerSecond }: Costs): string[] {
  return [
    `That is also why workers are scaled by the runs that are due rather than by their processor. The overlay \`large\` starts one for each ${figure(dueRunsPerWorker)}`,
    `due runs, which is what each has before it where their number settles: ${figure(dueRunsPerWorker / runsPerSecond.later)} s of work (${figure(runsPerSecond.later)} a second, with \`WORKER_CONCURRENCY\` at 16), more`,
    `where runs wait for other systems. A backlog of ${figure(10 * dueRunsPerWorker)} calls for ten workers. (\`large\` has 32.)`,
  ];
}

/** A hundred million in 30 days, and in one. */
const hundredMillion = 100_000_000;
const daySeconds = 86_400;

function monthLines({ laterRun }: Costs): string[] {
  const perSecond = Math.round(hundredMillion / 30 / daySeconds);
  const cores = coresOf(perSecond * laterRun.database);
  return [
    `The processors hardly notice: ${perSecond} × ${figure(laterRun.database)} µs are ${figure(cores)} of a core of PostgreSQL. What ends first is the disk, and with it the time`,
    'that a base backup and a restore take (950 GB at 100 MB/s: 2.6 hours), then vacuum: each pass reads the indexes of tables that',
    'lose as many rows a day as they gain. So shorten `RETENTION_DAYS` first; at 7 days the deliveries and runs are a quarter of it.',
  ];
}

function dayLines(costs: Costs): string[] {
  const perSecond = Math.round(hundredMillion / daySeconds);
  const { cores, workersFor } = needsOf(costs, perSecond);
  return [
    `A hundred million **a day** are ${figure(perSecond)} a second: ${figure(perSecond)} × ${figure(costs.laterRun.database)} / 1,000,000 = ${figure(cores)} cores of PostgreSQL, ${inWords(coresFor(cores))} to be sure of, and`,
    `${inWords(workersFor)} workers; 11 TB of deliveries and runs in 30 days. Nobody should keep that in one place: 3 days of it, or one of the ways below.`,
  ];
}

const streams = 1_000;
const fewer = 400;

function memoryLines({ residentMb: [least, most] }: Costs, floods: ReturnType<typeof floodsIn>): string[] {
  const { process, answer, answerHeap } = measuredMb;
  const [first, ...others] = floods;
  const second = others.find(({ app }) => app !== first!.app);
  const beside = second ? `, \`${second.app}\` ${second.mb}` : '';
  const sumOf = (answers: number) => figure(process + answers * answer);
  return [
    `An app takes ${least} to ${most} MB under full load, and under the floods of [neighbours.md](neighbours.md) up to ${first!.mb} MB (\`${first!.app}\`${beside}): ${usualMb} MB, of which`,
    'Node gives half to its heap. The chat takes more, by the answers that are open (`npm run bench -- chat`):',
    '',
    '```',
    `memory of the chat = ${process} MB + CHAT_STREAMS_MAX × ${answer} MB, and at least twice CHAT_STREAMS_MAX × ${answerHeap} MB, which is heap`,
    `                   = ${process} + ${figure(streams)} × ${answer} = ${sumOf(streams)}, and 2 × ${figure(streams * answerHeap)} = ${figure(2 * streams * answerHeap)}: so ${figure(memoryMbFor(streams))} MB for the ${figure(streams)} of the default`,
    '```',
    '',
    `One thread collects the chat's garbage, and leaves more of it than several would; where the heap is nearly full it collects`,
    `sooner. Compose and Kubernetes have these limits from one place (\`infra/generate/memory.ts\`). With another \`CHAT_STREAMS_MAX\`,`,
    `change the limit beside it by the same arithmetic: ${usualMb} MB have room for ${fewer} answers (${sumOf(fewer)} MB), and by this none to spare for 500`,
    `(${sumOf(500)} MB). The bench does not bound the heap. With \`--max-old-space-size=256\`, which is what Node sets in ${usualMb} MB, 500 answers were whole and took 343 and`,
    '344 MB in two tries.',
  ];
}
