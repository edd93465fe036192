import { setTimeout as pause } from 'node:timers/promises';
import type { Event } from '@relata/schemas';
import type { ApiAnswer, ApiClient } from './api-client.ts';
import type { Random } from '@relata/testbed/random';

const waitSeconds = 2;
const repeatPauseMs = 100;
const caughtUpWithinMs = 20_000;
const limits = [7, 50, 300];

interface FeedPage {
  data: Event[];
  next_cursor: string;
}

/** Follows the feed from its start until `stop`, and continues from the last cursor after any failure. */
export class FeedReader {
  readonly events: Event[] = [];
  /** Answers that no reader should get. */
  readonly refusals: string[] = [];
  readonly #client: ApiClient;
  readonly #random: Random;
  #cursor = 'start';
  #isEnding = false;
  readonly #reading: Promise<void>;

  constructor(client: ApiClient, random: Random) {
    this.#client = client;
    this.#random = random;
    this.#reading = this.#readOnAndOn();
  }

  stop(): void {
    this.#isEnding = true;
  }

  /** Returns once this reader has seen the last event and no event after it, or when the time is over. */
  async end(lastId: string): Promise<void> {
    this.stop();
    await this.#reading;
    const deadline = Date.now() + caughtUpWithinMs;
    for (let isOver = false; !isOver && Date.now() < deadline;) {
      const count = await this.#readOnce(0);
      isOver = count === 0 && this.events.at(-1)?.id === lastId;
    }
  }

  async #readOnAndOn(): Promise<void> {
    while (!this.#isEnding) await this.#readOnce(waitSeconds);
  }

  /** Returns the number of received events; undefined if there was no answer. */
  async #readOnce(wait: number): Promise<number | undefined> {
    const path = `/v1/events?after=${this.#cursor}&limit=${this.#random.pick(limits)}&wait=${wait}`;
    const answer = await this.#client.send({ method: 'GET', path });
    if (answer.status !== 200) return this.#failed(answer);
    const { data, next_cursor: next } = JSON.parse(answer.text) as FeedPage;
    this.#cursor = next;
    this.events.push(...data);
    return data.length;
  }

  async #failed({ status, text }: ApiAnswer): Promise<undefined> {
    if (status !== undefined && status !== 503) this.refusals.push(`${status} ${text}`);
    await pause(repeatPauseMs);
  }
}
