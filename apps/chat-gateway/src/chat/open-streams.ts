import { AppError } from '@relata/schemas';
import { tooMany } from '@relata/http';
import type { ServerResponse } from 'node:http';

export interface StreamBounds {
  /** For one client IP; null for no bound. */
  perIp: number | null;
  /** Over all visitors of this process. */
  most: number;
}

/** A visitor's other answer will soon have ended. */
const retryAfterSeconds = 2;

/** Counts the answers that are being given, so that nobody takes all there is room for. */
export class OpenStreams {
  readonly #bounds: StreamBounds;
  readonly #byIp = new Map<string, number>();
  #count = 0;

  constructor(bounds: StreamBounds) {
    this.#bounds = bounds;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes a place until the response is over; throws `rate_limited` or `service_unavailable` where there is none. */
  enter(ip: string, response: ServerResponse): void {
    const ofIp = this.#byIp.get(ip) ?? 0;
    if (this.#bounds.perIp !== null && ofIp >= this.#bounds.perIp) throw tooMany(retryAfterSeconds);
    if (this.#count >= this.#bounds.most) throw full();
    if (response.destroyed) return;
    this.#byIp.set(ip, ofIp + 1);
    this.#count++;
    response.once('close', () => this.#leave(ip));
  }

  #leave(ip: string): void {
    this.#count--;
    const left = this.#byIp.get(ip)! - 1;
    if (left > 0) this.#byIp.set(ip, left);
    else this.#byIp.delete(ip);
  }
}

const full = () =>
  new AppError('service_unavailable', 'All places are taken right now. Try again.', { retryAfterSeconds });
