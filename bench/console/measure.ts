import type { LoadProcess } from '@relata/testbed/load-process';
import type { LoadRequest } from '@relata/testbed/load';
import { MemoryWatch } from '@relata/testbed/memory';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import type { ConsolePage } from './pages.ts';
import { consolePages } from './pages.ts';
import { deepIds } from './past.sql.ts';
import type { TestBed } from './test-bed.ts';

export interface ConsolePace {
  deliveries: number;
  rounds: number;
  warmUpMs: number;
  durationMs: number;
}

export const fullPace: ConsolePace = { deliveries: 10_000_000, rounds: 3, warmUpMs: 500, durationMs: 1_500 };
export const quickPace: ConsolePace = { deliveries: 200_000, rounds: 1, warmUpMs: 200, durationMs: 800 };

/** Latencies of a page requested without pauses: over one connection (`alone`) and over several (`together`). */
export interface PageFigures {
  title: string;
  alone: Measured;
  together: Measured;
  floor: Measured | undefined;
}

export const atOnce = 4;

interface MeasureOptions {
  bed: TestBed;
  load: LoadProcess;
  pace: ConsolePace;
  onProgress: (line: string) => void;
}

export async function measurePages({ bed, load, pace, onProgress }: MeasureOptions) {
  await using floor = await bed.startFloor();
  await using console = await bed.startConsole();
  using memory = new MemoryWatch(console.pid);
  const { warmUpMs, durationMs } = pace;
  const run = (url: string, requests: LoadRequest[], connections: number) =>
    load.run({ url, headers: {}, requests, status: 200, connections, warmUpMs, durationMs });
  const figures: PageFigures[] = [];
  for (const page of consolePages(bed.site, await deepIds(bed.site, 100))) {
    onProgress(page.title);
    await verify(page, console.url);
    const alone = () => run(console.url, page.requests, 1);
    const together = () => run(console.url, page.requests, atOnce);
    const ofFloor = page.floor;
    if (ofFloor === undefined) {
      figures.push({ title: page.title, floor: undefined, ...(await interleaved(pace.rounds, { alone, together })) });
      continue;
    }
    const least = () => run(floor.url, [{ method: 'GET', path: ofFloor }], 1);
    const { least: floorFigures, ...own } = await interleaved(pace.rounds, { least, alone, together });
    figures.push({ title: page.title, floor: floorFigures, ...own });
  }
  return { figures, residentBytesMax: memory.maxBytes };
}

/** Sends one request with an ordinary client and checks its whole answer. The load process checks only the status. */
async function verify({ title, requests, check }: ConsolePage, url: string): Promise<void> {
  const { method, path, headers, body } = requests[0]!;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    ...sent,
  });
  const text = await response.text();
  if (response.status === 200 && check(JSON.parse(text) as { data: unknown })) return;
  throw new Error(`${title} was answered wrongly: ${response.status} ${text.slice(0, 500)}`);
}
