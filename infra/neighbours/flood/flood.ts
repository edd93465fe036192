import type { Party } from '../test-bed/party.ts';
import type { Urls } from '@relata/testbed/service-bed';

/** The addresses and the organization of a flood, as JSON, because it is sent to another process. */
interface FloodedService {
  urls: Urls;
  /** Address of the server that stands in for external systems. */
  outside: string;
  databaseUrl: string;
  natsUrl: string;
  natsPrefix: string;
  flooder: Party;
}

export interface FloodContext<Own> extends FloodedService {
  own: Own;
  signal: AbortSignal;
  /** Adds to a figure that is reported to the measuring process; has no effect once the flood has ended. */
  count(figure: string, by?: number): void;
}

/** The message that starts the process of a flood. */
export interface FloodJob {
  row: string;
  service: FloodedService;
  own: unknown;
}

export type FloodMessage = { figures: Record<string, number> } | { error: string };
