import type { HttpClient } from '@relata/testbed/http-client';
import { ask } from './client.ts';
import type { Tally } from './tally.ts';

export interface Followed {
  /** Name under which its answers are counted. */
  what: string;
  path: string;
  headers: Record<string, string>;
}

/**
 * Reads a stream of server-sent events and reopens it after its end, from the last id, as browsers and libraries do. A
 * stream that is cut off before its response is complete counts as a failure.
 */
export class Follower {
  /** The id and the data of each event. */
  readonly seen: { id: string; data: string }[] = [];
  readonly #client: HttpClient;
  readonly #tally: Tally;
  readonly #followed: Followed;
  #lastId: string | undefined;
  #isEnding = false;

  constructor(client: HttpClient, tally: Tally, followed: Followed) {
    this.#client = client;
    this.#tally = tally;
    this.#followed = followed;
  }

  start(): void {
    void this.#followOnAndOn();
  }

  /** Stops reopening the stream. The open stream ends with its client. */
  stop(): void {
    this.#isEnding = true;
  }

  async #followOnAndOn(): Promise<void> {
    const { what, path, headers } = this.#followed;
    while (!this.#isEnding) {
      const last = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
      const all = { ...headers, accept: 'text/event-stream', ...last };
      let rest = '';
      const onText = (piece: string) => (rest = this.#read(rest + piece));
      const answer = await ask(this.#client, { path, headers: all }, onText);
      if (!this.#isEnding) this.#tally.take(what, answer, 200);
    }
  }

  /** Collects the events of all complete blocks, and returns the rest of the text. */
  #read(text: string): string {
    const blocks = text.split('\n\n');
    for (const block of blocks.slice(0, -1)) {
      const id = /^id: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      this.#lastId = id ?? this.#lastId;
      if (data !== undefined) this.seen.push({ id: id ?? '', data });
    }
    return blocks.at(-1)!;
  }
}
