import type { AppName } from '../services.ts';
import type { FloodContext } from './flood/flood.ts';
import type { Latencies, ProbeName } from './probe/probe.ts';
import type { Party } from './test-bed/party.ts';
import type { OutsideCounts } from './test-bed/outside.ts';
import type { TestBed } from './test-bed/test-bed.ts';

/** What is seen of a flood while it goes on. */
export interface FloodView {
  bed: TestBed;
  flooder: Party;
  /** What the flood has counted so far. */
  figures: Figures;
  /** Requests that wait at other people's servers. */
  outside: OutsideCounts;
}

/** What a flood counts: posts, statuses of answers, connections. What was never counted is 0. */
export type Figures = Readonly<Record<string, number>>;

/** After the flood: what it did, and how the service was before it. */
export interface Aftermath extends FloodView {
  /** Open file descriptors of each app before the flood. */
  descriptors: Readonly<Partial<Record<AppName, number>>>;
}

/** Beyond the other's own time: what a row promises of memory, at the most. */
export interface MemoryBound {
  app: AppName;
  mostMb: number;
}

/** One organization floods a shared resource while another asks for small things. `Own` is what its flood needs. */
export interface Neighbour<Own = unknown> {
  name: string;
  /** What both share. */
  resource: string;
  /** What the flood does, in words for the table. */
  flood: string;
  /** How many times its own baseline the other's p99 may become: 3, or 1.5 where the flood only reaches a limit. */
  allowed: 3 | 1.5;
  probes: readonly ProbeName[];
  /** Processes that it needs. */
  apps: readonly AppName[];
  /** Over the settings that a production installation has unless given. */
  settings?: Readonly<Record<string, string>>;
  memory?: MemoryBound;
  /** The least time of the flood in the full form, where what it shows takes so long. */
  lastsMs?: number;
  /** Adds to the database what the flood needs, and returns what it must know; JSON, since it crosses a process. */
  prepare?(bed: TestBed, flooder: Party): Promise<Own>;
  /** Runs in a process of its own, until the signal of its context is aborted. */
  run(flood: FloodContext<Own>): Promise<void>;
  /** Whether the flood is felt: the other is measured only from then on. */
  hasEffect(view: FloodView): Promise<boolean> | boolean;
  /** What must be so once the flood is over; returns what is not. */
  verify?(aftermath: Aftermath): Promise<string[]> | string[];
}

/** Declares a row; the list of all holds rows of different kinds. */
export function neighbour<Own>(declared: Neighbour<Own>): Neighbour {
  return declared as Neighbour;
}

/** What was seen of one row. */
export interface Measured {
  /** Of each probe: alone, and beside the flood. */
  probes: { probe: ProbeName; baseline: Latencies; flooded: Latencies }[];
  hadEffect: boolean;
  /** Most megabytes that the app of the memory bound was seen with. */
  memoryMb: number | undefined;
  /** What did not hold once the flood was over, and processes that ended. */
  problems: string[];
  figures: Figures;
}
