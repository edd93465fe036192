import { coresFor, coresOf, figure, inWords } from './arithmetic.ts';
import { costs as measured, type Costs, floods as measuredFloods, type floodsIn } from './benchmarks.ts';
import { dueRunsPerWorker } from './kubernetes/scaling.ts';
import { alignedTable, wrapped } from './markdown.ts';
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

/** Column headings of the costs. */
export const costColumns = { app: 'µs of app CPU', database: 'µs of PostgreSQL CPU' };

function costLines({ delivery, startingDelivery, run, laterRun, create, answer, runsPerSecond }: Costs): string[] {
  const rows = [
    ['a delivery that starts no workflow', delivery, 'Deliveries and runs, 64 connections'],
    ['a delivery that starts one workflow', startingDelivery, 'the same'],
    ['a run that writes two records, with its delivery', run, 'the same; worker, no rows before'],
    ['such a run in a database with many rows', laterRun, 'the same; worker, deliveries, runs, journals before'],
    ['a create through the API', create, 'Records, where the time goes'],
    ['an answer of the built-in model', { app: answer, database: undefined }, 'The chat'],
  ] as const;
  const table = alignedTable(
    ['Work', costColumns.app, costColumns.database, 'Table in benchmarks.md'],
    rows.map(([what, { app, database: inDatabase }, where]) => [
      what,
      figure(app),
      inDatabase === undefined ? '' : figure(inDatabase),
      where,
    ]),
    new Set(Object.values(costColumns)),
  );
  return [
    ...table,
    '',
    ...wrapped('A core has 1,000,000 µs of CPU per second. With all rates per second, a load needs:'),
    '',
    '```',
    `PostgreSQL cores = (deliveries without a run × ${figure(delivery.database)} + runs × ${figure(laterRun.database)} + creates × ${figure(create.database)}) / 1,000,000, then doubled`,
    `workers          = runs / ${figure(runsPerSecond.later)}, and one more`,
    `receivers        = deliveries × ${figure(delivery.app)} / 1,000,000`,
    `records API      = creates × ${figure(create.app)} / 1,000,000`,
    `chat             = answers of the built-in model × ${figure(answer)} / 1,000,000`,
    '```',
    '',
    ...wrapped(
      `By CPU time alone, a worker could execute ${figure(1_000_000 / laterRun.app)} runs per second.`,
      `The benchmark measured ${figure(runsPerSecond.least)} to ${figure(runsPerSecond.most)}, with \`WORKER_CONCURRENCY=16\`, on two cores that the worker shared with everything else.`,
      'Calculate with the measured rates.',
    ),
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
    ...wrapped(
      '**A small load:** 300 deliveries per second that each start a run with two records, and 500 creates per second.',
      `PostgreSQL needs (300 × ${figure(laterRun.database)} + 500 × ${figure(create.database)}) / 1,000,000 = ${figure(small.cores)} cores. Doubled and rounded up, that is ${inWords(coresFor(small.cores))}.`,
      `The load also needs ${figure(small.workers)} of a worker and ${figure(small.receivers)} of a receiver.`,
      'The overlay `small` is enough for it; its second replicas are there in case a node fails.',
    ),
    '',
    ...wrapped(
      '**A medium load:** 2,000 such deliveries per second.',
      `PostgreSQL needs ${figure(medium.cores)} cores, so provide ${inWords(coresFor(medium.cores))}.`,
      `At the measured rate, the runs need ${inWords(medium.workersFor - 1)} workers; provide ${inWords(medium.workersFor)}, so that one may fail.`,
      `The deliveries need ${figure(medium.receivers)} of a receiver. The overlay \`medium\` is enough for this.`,
    ),
    '',
    ...wrapped(
      '**Larger loads:** runs determine the size.',
      `10,000 runs per second need ${figure(many.cores)} cores of PostgreSQL, so provide ${figure(coresFor(many.cores))}.`,
      'The overlay `large` can receive the deliveries that come with them.',
      'Before a single primary has to write this much, run tests of your own.',
    ),
    '',
    ...wrapped(
      `Reads hardly count beside writes: one process serves ${figure(reads)} reads of a record per second, or ${figure(firstPages)} identical lists.`,
    ),
  ];
}

function backlogLines({ runsPerSecond }: Costs): string[] {
  return wrapped(
    'For this reason, the number of workers follows the number of due runs instead of CPU usage.',
    `The overlay \`large\` starts one worker for every ${figure(dueRunsPerWorker)} due runs, so a backlog of ${figure(10 * dueRunsPerWorker)} calls starts ten.`,
    `Once their number is stable, each worker has ${figure(dueRunsPerWorker)} due runs.`,
    `That is ${figure(dueRunsPerWorker / runsPerSecond.later)} s of work at ${figure(runsPerSecond.later)} runs per second (measured with \`WORKER_CONCURRENCY=16\`; \`large\` has 32), and more if runs wait for other systems.`,
  );
}

/** A hundred million in 30 days, and in one. */
const hundredMillion = 100_000_000;
const daySeconds = 86_400;

function monthLines({ laterRun }: Costs): string[] {
  const perSecond = Math.round(hundredMillion / 30 / daySeconds);
  const cores = coresOf(perSecond * laterRun.database);
  return [
    ...wrapped(
      `This load uses little CPU: ${perSecond} × ${figure(laterRun.database)} µs are ${figure(cores)} of a PostgreSQL core.`,
      'The first limit is the disk, and with it the duration of a base backup or a restore (950 GB at 100 MB/s: 2.6 hours).',
      'The second is vacuum: each pass reads the indexes of tables that lose as many rows per day as they gain.',
      'So shorten `RETENTION_DAYS` first: at 7 days, deliveries and runs take a quarter of the space.',
    ),
  ];
}

function dayLines(costs: Costs): string[] {
  const perSecond = Math.round(hundredMillion / daySeconds);
  const { cores, workersFor } = needsOf(costs, perSecond);
  return wrapped(
    `A hundred million deliveries **per day** are ${figure(perSecond)} per second.`,
    `They need ${figure(perSecond)} × ${figure(costs.laterRun.database)} / 1,000,000 = ${figure(cores)} cores of PostgreSQL, so provide ${inWords(coresFor(cores))}, and ${inWords(workersFor)} workers.`,
    'In 30 days, their deliveries and runs would take 11 TB, which is too much for one database.',
    'Keep them for 3 days, or choose one of the remedies below.',
  );
}

const streams = 1_000;
const fewer = 400;

function memoryLines({ residentMb: [least, most] }: Costs, floods: ReturnType<typeof floodsIn>): string[] {
  const { process, answer, answerHeap } = measuredMb;
  const [first, ...others] = floods;
  const second = others.find(({ app }) => app !== first!.app);
  const beside = second ? `, and \`${second.app}\` up to ${second.mb} MB` : '';
  const sumOf = (answers: number) => figure(process + answers * answer);
  return [
    ...wrapped(
      `Under full load, an app takes ${least} to ${most} MB.`,
      `In the overload tests of [neighbours.md](neighbours.md), \`${first!.app}\` takes up to ${first!.mb} MB${beside}.`,
      `Each app has a limit of ${usualMb} MB, and Node uses half of it for its heap.`,
      'The chat needs more, depending on the number of open answers (`npm run bench -- chat`). It needs the larger of these:',
    ),
    '',
    '```',
    `in total     = ${process} MB + CHAT_STREAMS_MAX × ${answer} MB = ${process} + ${figure(streams)} × ${answer} = ${sumOf(streams)} MB for the default of ${figure(streams)}`,
    `for its heap = 2 × CHAT_STREAMS_MAX × ${answerHeap} MB      = 2 × ${figure(streams * answerHeap)} = ${figure(2 * streams * answerHeap)} MB for the default of ${figure(streams)}`,
    '```',
    '',
    ...wrapped(
      `The default limit of the chat is therefore ${figure(memoryMbFor(streams))} MB.`,
      "One thread collects the chat's garbage, so more garbage remains than with several threads. If the heap is nearly full, it is collected earlier.",
    ),
    '',
    ...wrapped(
      'Compose and Kubernetes take these limits from `infra/generate/memory.ts`.',
      'If you change `CHAT_STREAMS_MAX`, calculate the new limit with the same formulas.',
      `${usualMb} MB are enough for ${fewer} answers (${sumOf(fewer)} MB), and leave no reserve for 500 (${sumOf(500)} MB).`,
      'The benchmark does not limit the heap.',
      `With \`--max-old-space-size=256\`, which Node itself sets in ${usualMb} MB, all of 500 answers were complete in two attempts, which took 343 and 344 MB.`,
    ),
  ];
}
