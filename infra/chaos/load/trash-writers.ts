import { setTimeout as pause } from 'node:timers/promises';
import { LoadClients } from '@relata/testbed/load-clients';
import type { Random } from '@relata/testbed/random';
import type { ApiResponse, ApiClient, ApiRequest } from './api-client.ts';

const clientsCount = 8;
const namedShare = 0.5;
const repeatPauseMs = 250;
const givenUpAfterMs = 90_000;
/** Maximum number of ids per kind that writers choose from: few, so that several writers use the same records. */
const knownMost = 30;

export const kinds = {
  account: '/v1/records/accounts',
  contact: '/v1/records/contacts',
  opportunity: '/v1/records/opportunities',
  activity: '/v1/activities/custom',
};

type Kind = keyof typeof kinds;

interface Sent {
  request: string;
  response: ApiResponse;
}

/** Clients that create, change, delete, restore and merge records which refer to each other, until `end`. */
export class TrashWriters {
  readonly clients: LoadClients;
  readonly sent: Sent[] = [];
  readonly #client: ApiClient;
  readonly #random: Random;
  readonly #known: Record<Kind, string[]> = { account: [], contact: [], opportunity: [], activity: [] };

  constructor(client: ApiClient, random: Random, perSecond: number) {
    this.#client = client;
    this.#random = random;
    this.clients = new LoadClients({ clients: clientsCount, perSecond, random, each: () => this.#writeOne() });
  }

  async #writeOne(): Promise<void> {
    const kind = this.#random.pick(Object.keys(kinds) as Kind[]);
    const request = this.#requestOf(kind);
    const response = await this.#send(request);
    this.sent.push({ request: `${request.method} ${request.path} ${request.body ?? ''}`, response });
    if (response.status !== 201) return;
    const known = this.#known[kind];
    known.push((JSON.parse(response.text) as { data: { id: string } }).data.id);
    if (known.length > knownMost) known.shift();
  }

  #requestOf(kind: Kind): ApiRequest {
    const path = kinds[kind];
    const known = this.#known[kind];
    if (known.length < 5 || this.#random.has(0.3))
      return post(path, { ...this.#fieldsOf(kind), ...this.#linksOf(kind) });
    const id = this.#random.pick(known);
    const roll = this.#random.next();
    if (roll < 0.2 && kind !== 'activity')
      return {
        ...post(`${path}/${id}`, { tags: [String(this.#random.between(1, 3))], ...this.#linksOf(kind) }),
        method: 'PATCH',
      };
    if (roll < 0.45 && (kind === 'account' || kind === 'contact')) {
      const [winner, ...losers] = this.#random.shuffled(known).slice(0, this.#random.between(2, 4));
      return post(`${path}/merge`, { winner_id: winner, loser_ids: losers, set: { city: String(roll) } });
    }
    if (roll < 0.7) return post(`/v1/trash/${id}/restore`);
    return {
      method: 'DELETE',
      path: `${path}/${id}${kind === 'account' && this.#random.has(0.5) ? '?cascade=true' : ''}`,
    };
  }

  #fieldsOf(kind: Kind): object {
    const value = String(this.#random.between(1, 20));
    if (kind === 'account') return { account_name: value, domain: `${value}.example` };
    if (kind === 'contact') return { first_name: 'Ada', last_name: value, email: `${value}@trash.example` };
    return kind === 'opportunity' ? { opportunity_name: value } : { content: value };
  }

  /** Returns links to known records, which may have been deleted meanwhile. */
  #linksOf(kind: Kind): object {
    const some = (of: Kind) => this.#random.shuffled(this.#known[of]).slice(0, this.#random.between(0, 3));
    const [account] = this.#random.shuffled(this.#known.account);
    if (kind === 'contact') return { account_id: account };
    if (kind === 'opportunity') return { account_id: account, contact_ids: some('contact') };
    return kind === 'activity' ? { contact_ids: some('contact'), opportunity_ids: some('opportunity') } : {};
  }

  /** Sends a write once, or with an Idempotency-Key until it is answered. */
  async #send(request: ApiRequest): Promise<ApiResponse> {
    const isNamed = this.#random.has(namedShare);
    const headers = { ...(isNamed && { 'idempotency-key': `trash-${this.#random.next()}` }) };
    const deadline = Date.now() + givenUpAfterMs;
    for (;;) {
      const response = await this.#client.send({ ...request, headers });
      const isOver = response.status !== undefined && response.status !== 503 && !isInProgress(response);
      if (!isNamed || isOver || Date.now() > deadline) return response;
      await pause(repeatPauseMs);
    }
  }
}

const post = (path: string, body?: object): ApiRequest => ({
  method: 'POST',
  path,
  ...(body && { body: JSON.stringify(body) }),
});

const isInProgress = ({ text }: ApiResponse) => text.includes('"idempotency_in_progress"');
