import { Random } from '@relata/testbed/random';
import { ApiClient } from './api-client.ts';
import { FeedReader } from './feed-reader.ts';
import { TrashWriters } from './trash-writers.ts';

interface TrashLoadOptions {
  /** Addresses of the replicas of the API. */
  urls: readonly string[];
  apiKey: string;
  seed: number;
  writesPerSecond: number;
}

/** Clients of an organization whose records are deleted, restored and merged, and one that follows its feed. */
export class TrashLoad implements Disposable {
  readonly client: ApiClient;
  readonly writers: TrashWriters;
  readonly reader: FeedReader;

  constructor({ urls, apiKey, seed, writesPerSecond }: TrashLoadOptions) {
    const random = new Random(seed + 3);
    this.client = new ApiClient(urls, apiKey, random);
    this.writers = new TrashWriters(this.client, random, writesPerSecond);
    this.reader = new FeedReader(this.client, random);
  }

  start(): void {
    this.reader.start();
    this.writers.start();
  }

  [Symbol.dispose](): void {
    this.writers.stop();
    this.reader.stop();
    this.client[Symbol.dispose]();
  }
}
