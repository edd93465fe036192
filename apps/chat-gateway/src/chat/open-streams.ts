import { tooMany } from '@relata/http';
import { Shares } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';
import type { ServerResponse } from 'node:http';
import { clientGroups } from '../admission/client-groups.ts';

/** Seconds after which clients should retry. By then an answer has probably ended. */
const retryAfterSeconds = 2;

export const atCapacity = () =>
  new AppError('service_unavailable', 'The chat is at capacity. Try again.', { retryAfterSeconds });

export interface StreamBounds {
  /** Maximum number of open answers per client IP; null for no limit. */
  perIp: number | null;
  /** Maximum number of open answers in this process. */
  most: number;
}

/** Counts the open answers, and limits them per client and per organization. */
export class OpenStreams {
  readonly #perIp: number;
  readonly #most: number;
  readonly #shares: Shares;
  readonly #byGroup = new Map<string, number>();

  constructor({ perIp, most }: StreamBounds) {
    this.#perIp = perIp ?? Infinity;
    this.#most = most;
    this.#shares = new Shares(most);
  }

  get count(): number {
    return this.#most - this.#shares.free;
  }

  /** Takes a slot until the response ends. Throws `rate_limited` or `service_unavailable` if there is none. */
  enter(ip: string, orgId: string, response: ServerResponse): void {
    const groups = clientGroups(ip);
    const isFull = groups.some(({ name, times }) => this.#of(name) >= this.#perIp * times);
    if (isFull) throw tooMany(retryAfterSeconds);
    if (response.destroyed) return;
    if (!this.#shares.take([orgId])) throw atCapacity();
    for (const { name } of groups) this.#byGroup.set(name, this.#of(name) + 1);
    response.once('close', () => {
      this.#shares.giveBack([orgId]);
      for (const { name } of groups) this.#leave(name);
    });
  }

  #of(group: string): number {
    return this.#byGroup.get(group) ?? 0;
  }

  #leave(group: string): void {
    const left = this.#of(group) - 1;
    if (left > 0) this.#byGroup.set(group, left);
    else this.#byGroup.delete(group);
  }
}
