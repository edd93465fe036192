import { ApiClient } from './api-client.ts';
import { FeedReader } from './feed-reader.ts';
import { Random } from '@relata/testbed/random';
import { RecordWriters } from './record-writers.ts';

export interface RecordLoadOptions {
  /** Addresses of the replicas of the API. */
  urls: readonly string[];
  apiKey: string;
  seed: number;
  writesPerSecond: number;
}

const readersCount = 3;

/** Clients of the records API: writers, and readers that follow the feed of changes. */
export class RecordLoad implements Disposable {
  readonly client: ApiClient;
  readonly writers: RecordWriters;
  readonly readers: readonly FeedReader[];

  constructor({ urls, apiKey, seed, writesPerSecond }: RecordLoadOptions) {
    const random = new Random(seed + 2);
    this.client = new ApiClient(urls, apiKey, random);
    this.writers = new RecordWriters(this.client, random, writesPerSecond);
    this.readers = Array.from({ length: readersCount }, () => new FeedReader(this.client, random));
  }

  async start(): Promise<void> {
    for (const reader of this.readers) reader.start();
    await this.writers.prepare();
    this.writers.start();
  }

  [Symbol.dispose](): void {
    this.writers.stop();
    for (const reader of this.readers) reader.stop();
    this.client[Symbol.dispose]();
  }
}
