import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from './api-client.ts';
import { LoadClients } from '@relata/testbed/load-clients';
import type { Random } from '@relata/testbed/random';
import { answersTo, isInProgress, recordsIn, type Write, type WriteAttempt, type WriteRequest } from './write.ts';
import { creating, writeKinds } from './write-kinds.ts';

const clientsCount = 16;
const copiedShare = 0.25;
const copiesMost = 3;
const repeatPauseMs = 250;
const givenUpAfterMs = 90_000;
const replaysAtOnce = 8;

const pot = writeKinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));

/** Forty contacts that many writers change. Runs change four of them, too. */
const sharedEmails = [
  ...Array.from({ length: 36 }, (_, at) => `shared-${at}@write.example`),
  ...Array.from({ length: 4 }, (_, at) => `person-${at}@chaos.example`),
];

/** Clients that create and change contacts until `end`. Each client waits for a response before its next write. */
export class RecordWriters {
  readonly clients: LoadClients;
  readonly writes: Write[] = [];
  /** The contacts that many writers change. */
  readonly sharedIds: string[] = [];
  readonly #client: ApiClient;
  readonly #random: Random;
  #sends = 0;

  constructor(client: ApiClient, random: Random, perSecond: number) {
    this.#client = client;
    this.#random = random;
    this.clients = new LoadClients({ clients: clientsCount, perSecond, random, each: () => this.#writeOne() });
  }

  async prepare(): Promise<void> {
    const made = sharedEmails.map((email) => this.#begin((nonce) => creating(nonce, email), true));
    await Promise.all(made.map((write) => this.#sendUntilAnswered(write)));
    this.sharedIds.push(...made.map((write) => String(recordsIn(answersTo(write)[0]!)[0]!['id'])));
  }

  /** Sends every answered write with an idempotency key once more. */
  async replay(): Promise<void> {
    const left = this.writes.filter((write) => write.isNamed && answersTo(write).length > 0);
    const replaySome = async () => {
      for (let write = left.pop(); write; write = left.pop()) write.replay = await this.#sendOnce(write);
    };
    await Promise.all(Array.from({ length: replaysAtOnce }, replaySome));
  }

  async #writeOne(): Promise<void> {
    const { namedShare, request } = this.#random.pick(pot);
    const isNamed = this.#random.has(namedShare);
    const write = this.#begin((nonce) => request(nonce, this.#random, this.sharedIds), isNamed);
    if (!isNamed) return void write.attempts.push(await this.#sendOnce(write));
    const copies = this.#random.has(copiedShare) ? this.#random.between(2, copiesMost) : 1;
    await Promise.all(Array.from({ length: copies }, () => this.#sendUntilAnswered(write)));
  }

  #begin(requestOf: (nonce: string) => WriteRequest, isNamed: boolean): Write {
    const nonce = `w${this.writes.length}`;
    const write: Write = { ...requestOf(nonce), nonce, isNamed, attempts: [] };
    this.writes.push(write);
    return write;
  }

  async #sendUntilAnswered(write: Write): Promise<void> {
    const deadline = Date.now() + givenUpAfterMs;
    while (Date.now() < deadline) {
      const attempt = await this.#sendOnce(write);
      write.attempts.push(attempt);
      const isBusy = isInProgress(attempt);
      if (attempt.status !== undefined && attempt.status < 500 && !isBusy) return;
      const waitMs = isBusy ? Number(attempt.retryAfter ?? 0) * 1_000 : repeatPauseMs;
      await pause(waitMs * (1 + 0.2 * this.#random.next()));
    }
  }

  /** Sends a write once. Each attempt has its own request id, so that an event shows which attempt caused it. */
  async #sendOnce({ nonce, isNamed, method, path, body }: Write): Promise<WriteAttempt> {
    const requestId = `${nonce}.${this.#sends++}`;
    const headers = { 'x-request-id': requestId, ...(isNamed && { 'idempotency-key': nonce }) };
    return { ...(await this.#client.send({ method, path, body, headers })), requestId };
  }
}
