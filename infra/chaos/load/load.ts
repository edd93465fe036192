import { setTimeout as pause } from 'node:timers/promises';
import type { Kind, Payload } from './kind.ts';
import { LoadClients } from '@relata/testbed/load-clients';
import type { Attempt } from './api-client.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { Random } from '@relata/testbed/random';
import type { Scenario } from './scenario.ts';
import type { Sending, LoadTrigger } from './load-trigger.ts';

/** A delivery that a client sends, with every attempt to send it. */
export interface Post {
  nonce: string;
  kind: Kind;
  payload: Payload;
  /** True if the delivery may be sent again, because an Idempotency-Key or the sender's own mark identifies repeats. */
  isKeyed: boolean;
  attempts: Attempt[];
}

export interface LoadOptions {
  scenario: Scenario;
  urls: readonly string[];
  seed: number;
  postsPerSecond: number;
}

const clientsCount = 24;
const keyedShare = 0.2;
const copiesMost = 5;
const repeatPauseMs = 250;
const givenUpAfterMs = 90_000;
const responseTimeoutMs = 15_000;

/** Clients that post to random receivers until `end`, as if a load balancer spread their posts. */
export class Load implements Disposable {
  readonly posts: Post[] = [];
  readonly clients: LoadClients;
  readonly #options: LoadOptions;
  readonly #random: Random;
  readonly #client = new HttpClient();
  readonly #pot: readonly LoadTrigger[];

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#pot = options.scenario.targets.flatMap((target) =>
      Array.from({ length: Math.ceil(target.kind.weight * 10) }, () => target),
    );
    const each = () => this.#postOne(this.#random.pick(this.#pot));
    this.clients = new LoadClients({
      clients: clientsCount,
      perSecond: options.postsPerSecond,
      random: this.#random,
      each,
    });
  }

  async #postOne(target: LoadTrigger): Promise<void> {
    const { kind } = target;
    const nonce = `n${this.posts.length}-${this.#options.seed}`;
    const payload = kind.payload(nonce, this.#random);
    const isKeyed = kind.status === 202 && (kind.sender !== undefined || this.#random.has(keyedShare));
    const post: Post = { nonce, kind, payload, isKeyed, attempts: [] };
    this.posts.push(post);
    const body = kind.body?.(payload) ?? Buffer.from(JSON.stringify(payload));
    const sending = { nonce, body, isKeyed };
    if (!isKeyed) return void post.attempts.push(await this.#send(target, sending));
    const count = this.#random.between(2, copiesMost);
    const copies = Array.from({ length: count }, () => this.#repeat(post, target, sending));
    await Promise.all(copies);
  }

  /** Sends a post with a key until it is answered with a status below 500, or the time is over. */
  async #repeat(post: Post, target: LoadTrigger, sending: Sending): Promise<void> {
    const deadline = Date.now() + givenUpAfterMs;
    while (Date.now() < deadline) {
      const attempt = await this.#send(target, sending);
      post.attempts.push(attempt);
      if (attempt.status !== undefined && attempt.status < 500) return;
      await pause(repeatPauseMs * (0.5 + this.#random.next()));
    }
  }

  async #send({ triggerId, headersOf }: LoadTrigger, sending: Sending): Promise<Attempt> {
    const path = `${this.#random.pick(this.#options.urls)}/webhooks/trigger/${triggerId}`;
    const [headers, signal] = [headersOf(sending), AbortSignal.timeout(responseTimeoutMs)];
    const sentAt = Date.now();
    const end = (status?: number, retryAfter?: string) => ({ sentAt, endedAt: Date.now(), status, retryAfter });
    try {
      const response = await this.#client.open({ method: 'POST', path, headers, body: sending.body, signal });
      // The status alone counts as the response, even if the rest does not arrive.
      response.on('error', () => undefined).resume();
      return end(response.statusCode, response.headers['retry-after']);
    } catch {
      return end();
    }
  }

  [Symbol.dispose](): void {
    this.clients.stop();
    this.#client[Symbol.dispose]();
  }
}

/** Returns true if an attempt was answered with 202. */
export function isAcked({ attempts }: Post): boolean {
  return attempts.some(({ status }) => status === 202);
}
