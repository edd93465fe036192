import { type Db, isoTimestamp } from '@relata/db';
import { readInput } from '@relata/events';
import { QueueFullError, Slots } from '@relata/runtime';
import { freeText, uuid } from '@relata/schemas';
import { validationError } from '@relata/schemas/errors';
import { z } from 'zod';
import { idsOf } from '../list-window.ts';
import { OutOfTimeError, Pace, type PaceOptions } from '../pace.ts';
import { checkFilter, type CompiledFilter, compileContentFilter } from '../triggers/filter.ts';
import { readDeliveryBatch, type SearchedDelivery } from './delivery-batch.sql.ts';
import { payloadOf } from './delivery.operations.ts';
import { type Delivery, deliveryOutcomes, listDeliveriesById } from './delivery.sql.ts';

/** Of one page. */
const rowsMax = 1_000;
const bytesMax = 4_194_304;
/** Of the event loop, all together. An evaluation alone is stopped after 10 to 30 ms. */
const workMsMax = 50;

/** Of one statement: few at first, so that little was read in vain where the time is used up soon. */
const batchRows = { first: 200, others: 800 };

/** At once: each holds its bodies. */
const slots = new Slots(2);
const longestWait = { ms: 5_000, error: () => new QueueFullError('Too many searches are going on.') };

const NewSearch = z.object({
  where: freeText(1),
  limit: z.int().min(1).max(1_000).default(50),
  before: uuid().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  triggerId: uuid().optional(),
  workflowId: uuid().optional(),
  outcome: z.enum(deliveryOutcomes).optional(),
});

interface SearchContext extends Pick<PaceOptions, 'takeTurn'> {
  database: Db;
  /** Aborted once nobody waits for the answer any more. */
  signal?: AbortSignal | undefined;
}

export interface DeliverySearch {
  /** Those of which the expression holds, the newest first. */
  deliveries: Delivery[];
  lookedAt: number;
  /** When the oldest that was looked at came in; undefined where no older one is left. */
  lookedBackTo: string | undefined;
  /** The id to go on before; undefined where no older one is left. */
  next: string | undefined;
  /** Of how many the expression came to no result, and why it did not for the newest of them. */
  failed: number;
  firstFault: { id: string; message: string } | undefined;
}

/**
 * Looks for deliveries by an expression on what was sent, from the newest on. It looks at 1,000 deliveries and 4 MB of
 * bodies at most, and evaluates for 50 ms; `next` goes on behind them.
 */
export async function searchDeliveryBodies(
  { database, takeTurn, signal }: SearchContext,
  orgId: string,
  input: z.input<typeof NewSearch>,
): Promise<DeliverySearch> {
  const { where, limit, ...search } = readInput(NewSearch, input);
  const filter = conditionOf(where);
  await slots.acquire([orgId], signal, longestWait);
  try {
    const pace = new Pace({ workMsMax, takeTurn });
    const walk = new SearchWalk({ filter, limit, pace, signal });
    const ids = idsOf(search);
    const read: ReadBatch = (bounds) =>
      readDeliveryBatch(database, orgId, search, { ...ids, ...bounds, hasHeaders: filter.readsHeaders });
    await walk.through(ids.high, read);
    const { matches, lookedAt, failed, firstFault, last } = walk;
    const deliveries = matches.length > 0 ? await listDeliveriesById(database, orgId, matches) : [];
    const lookedBackTo = last && isoTimestamp(last.received_at);
    return { deliveries, lookedAt, lookedBackTo, next: last?.id, failed, firstFault };
  } finally {
    slots.release([orgId]);
  }
}

function conditionOf(where: string): CompiledFilter {
  const problem = checkFilter(where);
  if (!problem) return compileContentFilter(where);
  const message = ['The expression is wrong:', problem.message, problem.hint].filter(Boolean).join(' ');
  throw validationError([{ in: 'body', field: 'where', code: 'invalid_format', message }]);
}

type ReadBatch = (bounds: { high: string; rowsMax: number; bytesMax: number }) => Promise<SearchedDelivery[]>;

interface WalkOptions {
  filter: CompiledFilter;
  limit: number;
  pace: Pace;
  signal: AbortSignal | undefined;
}

/** One way from the newest delivery on, as far as its bounds let it. */
class SearchWalk {
  readonly #options: WalkOptions;
  #bytesLeft = bytesMax;
  readonly matches: string[] = [];
  lookedAt = 0;
  failed = 0;
  firstFault: { id: string; message: string } | undefined;
  /** The last that was looked at; undefined once no older one is left. */
  last: SearchedDelivery | undefined;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  async through(high: string, read: ReadBatch): Promise<void> {
    for (let size: number = batchRows.first; !this.#isOver; size = batchRows.others) {
      const bounds = { high: this.last?.id ?? high, rowsMax: Math.min(size, rowsMax - this.lookedAt) };
      const batch = await this.#options.pace.aside(() => read({ ...bounds, bytesMax: this.#bytesLeft }));
      this.#bytesLeft -= batch.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
      if (!(await this.#look(batch)) || this.#bytesLeft <= 0) return;
      if (batch.length < bounds.rowsMax) this.last = undefined;
      if (batch.length < bounds.rowsMax) return;
    }
  }

  get #isOver(): boolean {
    return this.lookedAt >= rowsMax || this.matches.length >= this.#options.limit;
  }

  /** Returns false where it stopped among them. */
  async #look(batch: readonly SearchedDelivery[]): Promise<boolean> {
    const { pace, signal } = this.#options;
    for (const delivery of batch) {
      if (this.matches.length >= this.#options.limit) return false;
      try {
        const others = this.last && pace.pause();
        if (others) await others;
      } catch (error) {
        if (error instanceof OutOfTimeError) return false;
        throw error;
      }
      signal?.throwIfAborted();
      this.#judge(delivery);
    }
    return true;
  }

  #judge(delivery: SearchedDelivery): void {
    const { id, body, headers } = delivery;
    this.last = delivery;
    this.lookedAt++;
    if (!body) return;
    const { holds } = this.#options.filter;
    try {
      if (holds({ payload: payloadOf(body), headers: headersOf(headers) })) this.matches.push(id);
    } catch (error) {
      this.failed++;
      this.firstFault ??= { id, message: (error as Error).message };
    }
  }
}

const headersOf = (json: string | null) => (json === null ? {} : (JSON.parse(json) as Record<string, string>));
