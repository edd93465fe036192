import { LoadProcess } from '@relata/testbed/load-process';
import { describeMachine } from '@relata/testbed/machine';
import { interleaved } from '@relata/testbed/rounds';
import { say } from '@relata/testbed/suite-program';
import type { Bench, BenchOptions } from '../bench.ts';
import { connections, fullPlan, type Plan, quickPlan } from '../records/plan.ts';
import { profileLoad } from '../records/profile.ts';
import { type FilteredPages, filteredPages, mixOf } from './filtered-pages.ts';
import { openReader } from '../reader.ts';
import { measureIndexCosts } from './index-costs.ts';
import { measureLatencies } from './latencies.ts';
import { indexCostsTable, latenciesTable, type PagesComparison, pagesTable, summariesTable } from './report.ts';
import { measureSummaries } from './summaries.ts';
import { type ListsBed, openListsBed } from './test-bed.ts';

/**
 * Compares filtered pages with a minimal service. Measures every sort, filter and pair, summaries, and the cost of the
 * indexes for writes and look-ups.
 */
export const listsBench: Bench = async (options) => {
  const { isQuick, profile, only } = options;
  const plan = isQuick ? quickPlan : fullPlan;
  const isWanted = (name: string) => only?.includes(name) ?? true;
  const hasPages = only?.some((name) => name !== 'writes') ?? true;
  const pages = hasPages ? await measurePages(options, plan, isWanted) : { texts: [], figures: {} };
  const costs = profile === undefined && isWanted('writes') ? await measureIndexCosts(plan) : [];
  const texts = [...pages.texts, ...(costs.length > 0 ? [indexCostsTable(costs)] : [])];
  return { text: texts.join('\n\n'), figures: { pace: plan, ...pages.figures, costs } };
};

async function measurePages({ isQuick, profile }: BenchOptions, plan: Plan, isWanted: (name: string) => boolean) {
  await using stack = new AsyncDisposableStack();
  const bed = await openListsBed(stack, isQuick ? 100_000 : 1_000_000);
  await using load = new LoadProcess();
  const kinds = await filteredPages(bed);
  const all = [mixOf(kinds), ...kinds].filter(({ name }) => isWanted(name));
  if (profile !== undefined) {
    const loads = all.map((each) => ({ ...each, status: 200 }));
    return { texts: [await profileLoad({ bed, key: bed.key, load, all: loads, name: profile })], figures: {} };
  }
  const comparisons = await comparePages(bed, load, all, plan);
  await using relata = await bed.startRelata();
  const requests = isQuick ? 8 : 100;
  const read = openReader(relata.url, bed.key);
  const latencies = await measureLatencies({ read, requests, isWanted });
  if (isWanted('sums')) say('sums');
  const summaries = isWanted('sums') ? await measureSummaries(read, requests) : [];
  const machine = describeMachine(bed.postgresVersion);
  return {
    texts: [machine, pagesTable(comparisons), latenciesTable(latencies), summariesTable(summaries)].filter(Boolean),
    figures: { machine, comparisons, latencies, summaries },
  };
}

async function comparePages(
  bed: ListsBed,
  load: LoadProcess,
  all: readonly FilteredPages[],
  plan: Plan,
): Promise<PagesComparison[]> {
  await using floor = await bed.startFloor();
  await using relata = await bed.startRelata();
  const comparisons: PagesComparison[] = [];
  for (const { requests, ...pages } of all) {
    say(pages.title);
    const run = (url: string, warmUpMs: number, durationMs: number) =>
      load.run({ url, requests, headers: { 'X-Api-Key': bed.key }, status: 200, connections, warmUpMs, durationMs });
    for (const { url } of [floor, relata]) await run(url, plan.firstWarmUpMs, 0);
    const measure = (url: string) => () => run(url, plan.warmUpMs, plan.durationMs);
    const measured = await interleaved(plan.rounds, { floor: measure(floor.url), relata: measure(relata.url) });
    comparisons.push({ pages, ...measured });
  }
  return comparisons;
}
