import type { ServerResponse } from 'node:http';
import { type Exchange, setExchangeHeaders } from '../exchange/exchange.ts';

/** A response that is written piece by piece. The writer ends it, and reports its own errors. */
export class StreamedResponse {
  readonly #write: (response: ServerResponse) => Promise<void>;

  constructor(write: (response: ServerResponse) => Promise<void>) {
    this.#write = write;
  }

  async sendTo(exchange: Exchange): Promise<void> {
    const { response } = exchange;
    if (response.destroyed) return;
    setExchangeHeaders(exchange);
    await this.#write(response);
  }
}
