import type { LoadClients } from '@relata/testbed/load-clients';
import { Random } from '@relata/testbed/random';
import { type ApiClient, openApiClient } from './api-client.ts';
import { type FeedReader, followFeed } from './feed-reader.ts';

/** Clients of an organization: writers, and readers that follow its feed. */
export interface ApiLoad<Writers> extends Disposable {
  client: ApiClient;
  writers: Writers;
  readers: readonly FeedReader[];
}

interface ApiLoadOptions<Writers> {
  urls: readonly string[];
  apiKey: string;
  seed: number;
  readersCount: number;
  writersOf: (client: ApiClient, random: Random) => Writers;
}

/** Starts the readers. The caller starts the pace of the writers. */
export function openApiLoad<Writers extends { clients: LoadClients }>(
  options: ApiLoadOptions<Writers>,
): ApiLoad<Writers> {
  const { urls, apiKey, seed, readersCount, writersOf } = options;
  const random = new Random(seed);
  const client = openApiClient(urls, apiKey, random);
  const writers = writersOf(client, random);
  const readers = Array.from({ length: readersCount }, () => followFeed(client, random));
  const stop = () => {
    writers.clients.stop();
    for (const reader of readers) reader.stop();
    client[Symbol.dispose]();
  };
  return { client, writers, readers, [Symbol.dispose]: stop };
}
