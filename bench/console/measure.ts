import { HttpClient } from '@relata/testbed/http-client';
import type { LoadProcess } from '@relata/testbed/load-process';
import type { LoadRequest } from '@relata/testbed/load';
import { MemoryWatch } from '@relata/testbed/memory';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import { say } from '@relata/testbed/suite-program';
import type { ConsolePage } from './pages.ts';
import { consolePages } from './pages.ts';
import { deepIds } from './past.sql.ts';
import type { TestBed } from './test-bed.ts';

export const fullPlan = { deliveries: 10_000_000, rounds: 3, warmUpMs: 500, durationMs: 1_500 };
export const quickPlan: typeof fullPlan = { deliveries: 200_000, rounds: 1, warmUpMs: 200, durationMs: 800 };

/** Latencies of a page requested without pauses: over one connection (`alone`) and over several (`together`). */
export interface PageFigures {
  title: string;
  alone: Measured;
  together: Measured;
  /** Undefined for a page without an equivalent of the floor. */
  floor?: Measured;
}

export const atOnce = 4;

interface MeasureOptions {
  bed: TestBed;
  load: LoadProcess;
  plan: typeof fullPlan;
}

export async function measurePages({ bed, load, plan }: MeasureOptions) {
  await using floor = await bed.startFloor();
  await using console = await bed.startConsole();
  using memory = new MemoryWatch(console.pid);
  const { warmUpMs, durationMs } = plan;
  const run = (url: string, requests: LoadRequest[], connections: number) =>
    load.run({ url, headers: {}, requests, status: 200, connections, warmUpMs, durationMs });
  const figures: PageFigures[] = [];
  for (const page of consolePages(bed.database, await deepIds(bed.database, 100))) {
    say(page.title);
    await verify(page, console.url);
    const { floor: path } = page;
    const all = {
      alone: () => run(console.url, page.requests, 1),
      together: () => run(console.url, page.requests, atOnce),
      ...(path !== undefined && { floor: () => run(floor.url, [{ method: 'GET', path }], 1) }),
    };
    const measured = await interleaved(plan.rounds, all as Required<typeof all>);
    figures.push({ title: page.title, ...measured });
  }
  return { figures, residentBytesMax: memory.maxBytes };
}

/** Sends one request with an ordinary client and checks its whole response. The load process checks only the status. */
async function verify({ title, requests: [request], check }: ConsolePage, url: string): Promise<void> {
  using client = new HttpClient(url);
  const { status, text } = await client.send(request!);
  if (status === 200 && check(JSON.parse(text) as { data: unknown })) return;
  throw new Error(`${title} was answered wrongly: ${status} ${text.slice(0, 500)}`);
}
