import type { Party } from '../test-bed/party.ts';
import type { Urls } from '../test-bed/test-bed.ts';

/** Where a flood takes place; JSON, since the flood runs in a process of its own. */
interface FloodSite {
  urls: Urls;
  /** Other people's servers. */
  outside: string;
  databaseUrl: string;
  natsUrl: string;
  natsPrefix: string;
  flooder: Party;
}

/** What a flood is given. */
export interface FloodContext<Own> extends FloodSite {
  own: Own;
  /** Ends the flood. */
  signal: AbortSignal;
  /** Adds to a figure that is reported to the measuring process. */
  count(figure: string, by?: number): void;
}

/** What the process of a flood is asked to do. */
export interface FloodJob {
  row: string;
  site: FloodSite;
  own: unknown;
}

export type FloodMessage = { figures: Record<string, number> } | { error: string };
