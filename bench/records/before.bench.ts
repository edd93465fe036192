import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Bench } from '../bench.ts';
import { LoadProcess } from '@relata/testbed/load-process';
import { describeMachine } from '@relata/testbed/machine';
import { accountIds } from './accounts.sql.ts';
import { type AgainstBefore, beforeTable } from './before-report.ts';
import { connections, fullPlan, quickPlan } from './plan.ts';
import { roundOf } from './round.ts';
import { interleaved } from '@relata/testbed/rounds';
import { say } from '@relata/testbed/suite-program';
import type * as TestBedModule from './test-bed.ts';
import type * as ThroughputModule from './throughput.ts';
import { createAccount, getAccount, mixedLoad, updateAccount, writeWorkloads } from './workloads.ts';

/**
 * Compares the records API of this checkout with that of another checkout, usually an older commit. Each has its own
 * PostgreSQL, schema and accounts, made by its own modules. The load is the same, and rounds are interleaved.
 */
export const beforeBench: Bench = async (options) => {
  if (options.before === undefined) throw new Error('Pass another checkout, with its dependencies: --before FOLDER.');
  await using before = await openSide(resolve(options.before));
  await using now = await openSide(resolve(import.meta.dirname, '../..'));
  await using load = new LoadProcess();
  const plan = options.isQuick ? quickPlan : fullPlan;
  const compared: AgainstBefore[] = [];
  for (const [i, { name, title }] of before.workloads.entries()) {
    if (options.only && !options.only.includes(name)) continue;
    // With more connections, most items of a batch would be refused.
    for (const atOnce of name === 'upsert_batch' ? [1] : [1, connections]) {
      say(`${title}, ${atOnce} at once`);
      const measuring = { load, plan, connections: atOnce };
      const rounds = [before, now].map((side) => roundOf(side.workloads[i]!, { ...side, ...measuring }));
      for (const { prepare } of rounds) await prepare();
      const [ofBefore, ofNow] = rounds;
      const sides = { before: ofBefore!.measure, now: ofNow!.measure };
      compared.push({ title, connections: atOnce, ...(await interleaved(plan.rounds, sides)) });
    }
  }
  const machine = describeMachine(now.bed.postgresVersion);
  return { text: [machine, beforeTable(compared)].join('\n\n'), figures: { machine, pace: plan, compared } };
};

/** Starts the API of a checkout with the modules of its own bench. */
async function openSide(checkout: string) {
  say(`starting ${checkout}`);
  const moduleOf = (name: string) => import(pathToFileURL(join(checkout, 'bench/records', name)).href);
  const { openTestBed } = (await moduleOf('test-bed.ts')) as typeof TestBedModule;
  const { loadTenant } = (await moduleOf('throughput.ts')) as typeof ThroughputModule;
  await using stack = new AsyncDisposableStack();
  const bed = stack.use(await openTestBed());
  const tenant = await loadTenant(bed);
  const ids = await accountIds(bed.admin, tenant.orgId);
  const { url } = stack.use(await bed.startRelata());
  const opened = stack.move();
  const { keyed, upsert_new: upsertNew, upsert_known: upsertKnown, upsert_batch: upsertBatch } = writeWorkloads;
  const plain = [getAccount(ids), updateAccount(ids), createAccount(), mixedLoad(ids)];
  const workloads = [...plain, keyed, upsertNew, upsertKnown, upsertBatch];
  return { bed, tenant, url, workloads, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
