import type { AppName } from '../services.ts';
import type { FloodContext } from './flood/flood.ts';
import type { Latencies, ProbeName } from './probe/probe.ts';
import type { Party } from './test-bed/party.ts';
import type { OutsideCounts } from '@relata/testbed/outside-servers';
import type { ServiceBed } from '@relata/testbed/service-bed';

export interface FloodView {
  bed: ServiceBed;
  flooder: Party;
  figures: Figures;
  /** Requests that wait at external servers. */
  outside: OutsideCounts;
}

/** Counts of a flood: posts, statuses of responses, connections. */
export type Figures = Readonly<Record<string, number>>;

/** The observations after a flood, with the state of the service before it. */
export interface Aftermath extends FloodView {
  /** Open file descriptors of each app before the flood. */
  descriptors: Readonly<Partial<Record<AppName, number>>>;
}

/** Maximum memory of an app, if a row limits it. */
export interface MemoryBound {
  app: AppName;
  mostMb: number;
}

type Settings = Readonly<Record<string, string>>;

/**
 * A row: one organization floods a shared resource while another organization sends small requests. `Own` is the input
 * of the flood.
 */
export interface Neighbour<Own = unknown> {
  name: string;
  flood: string;
  probes: readonly ProbeName[];
  apps: readonly AppName[];
  /**
   * Settings that differ from those of a production installation. A function may write files for them into the folder,
   * which the suite deletes at its end.
   */
  settings?: Settings | ((folder: string) => Promise<Settings>);
  memory?: MemoryBound;
  /** Minimum duration of the flood in the full suite, if its effect takes that long. */
  lastsMs?: number;
  /**
   * Adds the flood's data to the database, and returns its input, which must be JSON because it is sent to a process.
   */
  prepare?(bed: ServiceBed, flooder: Party): Promise<Own>;
  /**
   * The statuses with which the flood may be answered, by the figure that counts them; 0 stands for no response. Any
   * other status shows that it floods something else: requests that are refused with 401 prove nothing.
   */
  responses: Readonly<Record<string, readonly number[]>>;
  /** Runs in a process of its own, until the signal of its context is aborted. */
  run(flood: FloodContext<Own>): Promise<void>;
  /** Returns true once the flood has its effect; the p99 of the other organization is measured from then on. */
  hasEffect(view: FloodView): Promise<boolean> | boolean;
  /** Verifies conditions after the flood, and returns those that do not hold. */
  verify?(aftermath: Aftermath): Promise<string[]> | string[];
}

/** Returns a row without the type of its input, so that one list can contain all rows. */
export function neighbour<Own>(declared: Neighbour<Own>): Neighbour {
  return declared as Neighbour;
}

export interface Measured {
  /** The times of each probe: alone, and during the flood. */
  probes: { probe: ProbeName; baseline: Latencies; flooded: Latencies }[];
  hadEffect: boolean;
  /** Maximum resident memory, in MB, of the app with a memory bound; undefined if there is none, or it is unknown. */
  memoryMb: number | undefined;
  /** Conditions that did not hold after the flood, and processes that ended. */
  problems: string[];
  figures: Figures;
}
