import type { Pace } from '@relata/testbed/pace';
import { Random } from '@relata/testbed/random';
import { ApiClient } from './api-client.ts';
import { FeedReader } from './feed-reader.ts';

interface ApiLoadOptions<Writers> {
  /** Addresses of the replicas of the API. */
  urls: readonly string[];
  apiKey: string;
  seed: number;
  readersCount: number;
  writersOf: (client: ApiClient, random: Random) => Writers;
}

/** Clients of an organization: writers, and readers that follow its feed. */
export class ApiLoad<Writers extends { pace: Pace }> implements Disposable {
  readonly client: ApiClient;
  readonly writers: Writers;
  readonly readers: readonly FeedReader[];

  constructor({ urls, apiKey, seed, readersCount, writersOf }: ApiLoadOptions<Writers>) {
    const random = new Random(seed);
    this.client = new ApiClient(urls, apiKey, random);
    this.writers = writersOf(this.client, random);
    this.readers = Array.from({ length: readersCount }, () => new FeedReader(this.client, random));
  }

  [Symbol.dispose](): void {
    this.writers.pace.stop();
    for (const reader of this.readers) reader.stop();
    this.client[Symbol.dispose]();
  }
}
