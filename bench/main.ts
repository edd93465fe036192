import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { say } from '@relata/testbed/suite-program';
import type { Bench } from './bench.ts';
import { chatBench } from './chat/chat.bench.ts';
import { consoleBench } from './console/console.bench.ts';
import { duplicatesBench } from './duplicates/duplicates.bench.ts';
import { ingestBench } from './ingest/ingest.bench.ts';
import { beforeBench } from './records/before.bench.ts';
import { listsBench } from './lists/lists.bench.ts';
import { recordsBench } from './records/records.bench.ts';
import { sizeBench } from './size/size.bench.ts';
import { trashBench } from './trash/trash.bench.ts';

const benches: Record<string, Bench> = {
  records: recordsBench,
  lists: listsBench,
  duplicates: duplicatesBench,
  trash: trashBench,
  ingest: ingestBench,
  chat: chatBench,
  console: consoleBench,
  size: sizeBench,
  before: beforeBench,
};

const usage = `Usage: npm run bench -- <${Object.keys(benches).join(' | ')}> [options]

  --quick            short rounds, to try things out; do not publish their figures
  --json FILE        write the raw figures of every round
  --profile NAME     show where one workload spends its CPU time;
                     records: get, page, pages, patch, post or mixed;
                     lists: mix, or the name of a row, such as contacts.owner_id.many;
                     ingest: floor, accept or signed (the receiver), or run (the worker);
                     chat: floor, chat or built-in
  --before FOLDER    another checkout with its dependencies; \`before\` compares both records APIs
  --only NAMES       measure only these workloads, separated by commas;
                     before: get, patch, post, mixed, keyed, upsert_new, upsert_known, upsert_batch;
                     lists: mix, names of rows, filters (each alone), pairs, writes (the cost of indexes);
                     trash: deletes, merges

The tables go to standard output, and progress goes to standard error.
`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    profile: { type: 'string' },
    before: { type: 'string' },
    only: { type: 'string' },
  },
});

const bench = positionals.length === 1 ? benches[positionals[0]!] : undefined;
if (bench) await run(bench);
else {
  process.stderr.write(usage);
  process.exitCode = 2;
}

async function run(chosen: Bench): Promise<void> {
  const { quick: isQuick, profile, before, only } = values;
  await using stack = new AsyncDisposableStack();
  const { text, figures } = await chosen({ isQuick, profile, before, only: only?.split(','), stack });
  process.stdout.write(`${text}\n`);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  say('done');
}
