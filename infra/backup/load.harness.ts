import { setTimeout as pause } from 'node:timers/promises';
import type { prepareOrganization } from './installation.harness.ts';

/** Pause between posts. A shorter pause makes the test longer, because each run is executed again after a restore. */
const paceMs = 25;

type Organization = Awaited<ReturnType<typeof prepareOrganization>>;

export interface Addresses {
  receiver: string;
  api: string;
}

/** Posts deliveries and creates accounts, each with its own name, and records the names of the accepted ones. */
export class Load implements AsyncDisposable {
  readonly delivered: string[] = [];
  readonly created: string[] = [];
  readonly #organization: Organization;
  readonly #stop = new AbortController();
  #active: Promise<unknown> = Promise.resolve();

  constructor(organization: Organization) {
    this.#organization = organization;
  }

  begin(to: Addresses): void {
    this.#active = Promise.all([
      this.#repeat('d', async (name) => (await this.deliver(to, name)) === 202 && this.delivered.push(name)),
      this.#repeat('c', async (name) => (await this.create(to, name)).status === 201 && this.created.push(name)),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#active;
  }

  async #repeat(prefix: string, act: (name: string) => Promise<unknown>): Promise<void> {
    for (let i = 0; !this.#stop.signal.aborted; i++) await Promise.all([act(`${prefix}-${i}`), pause(paceMs)]);
  }

  async deliver({ receiver }: Addresses, nonce: string): Promise<number> {
    const { path, headers: opening } = this.#organization.target;
    const headers = { 'content-type': 'application/json', ...opening };
    const body = JSON.stringify({ nonce });
    return (await fetch(receiver + path, { method: 'POST', headers, body })).status;
  }

  /** Creates an account; its name is also the idempotency key. */
  create({ api }: Addresses, name: string): Promise<Response> {
    const headers = { ...this.#headers, 'idempotency-key': name };
    const body = JSON.stringify({ account_name: name });
    return fetch(`${api}/v1/records/accounts`, { method: 'POST', headers, body });
  }

  /** Returns the organization's number of accounts, according to the API. */
  async total({ api }: Addresses): Promise<number> {
    const response = await fetch(`${api}/v1/records/accounts?limit=1`, { headers: this.#headers });
    return ((await response.json()) as { total: number }).total;
  }

  get #headers() {
    return { 'content-type': 'application/json', 'x-api-key': this.#organization.key };
  }
}
