import type { ServerResponse } from 'node:http';
import { type Exchange, setExchangeHeaders } from '../exchange/exchange.ts';

/** An answer that is written as it comes about. What writes it ends it, and tells of its own faults. */
export class StreamedAnswer {
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
