import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { EventFeed, FeedSelection } from '@relata/events';
import { type HandlerContext, loopTurns, StreamedResponse, StreamSlots } from '@relata/http';
import { shownEvent } from '@relata/records';
import type { Event } from '@relata/schemas';
import { consoleOperations } from '@relata/schemas/console';
import { authorizeAgain, type AuthorizeBySession } from '../session/authorize.ts';
import type { OrgCaller } from '../session/console-caller.ts';
import { csvCut, csvHead, csvRow } from './audit-csv.ts';

/** Maximum number of events in a file. */
const exportMax = 50_000;
const pageEvents = 500;
/** Time in ms after which an unfinished file is cut off. */
const lastsMs = 300_000;
const places = { streamsMax: 4, ofOneMax: 1, retryAfterSeconds: 15 };
const tooManyOfOne = 'Another of your exports is running. Wait until it has finished.';

interface Format {
  contentType: string;
  head: string;
  row: (event: Event, isFirst: boolean) => string;
  end: (more: { next: string; oldest: string } | undefined) => string;
}

const formats: Record<'csv' | 'json', Format> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    head: csvHead,
    row: csvRow,
    end: (more) => (more ? csvCut(exportMax, more.oldest) : ''),
  },
  json: {
    contentType: 'application/json',
    head: '{"data":[',
    row: (event, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(event)}`,
    end: (more) => `\n],"next_cursor":${JSON.stringify(more?.next ?? null)},"has_more":${more !== undefined}}\n`,
  },
};

/** Streams events as files, page by page, so that a download holds at most one page in memory. */
export class AuditExports {
  readonly #feed: EventFeed;
  readonly #authorize: AuthorizeBySession;
  readonly #places = new StreamSlots({ ...places, tooManyOfOne });

  constructor(feed: EventFeed, authorize: AuthorizeBySession) {
    this.#feed = feed;
    this.#authorize = authorize;
  }

  /**
   * Opens an export. Throws `rate_limited` while the person has another export, `service_unavailable` if too many are
   * open in this process, and the errors of reading the first page.
   */
  async open(name: 'csv' | 'json', selection: FeedSelection, context: HandlerContext<OrgCaller>) {
    const { caller, exchange, log } = context;
    const party = [caller.orgId, caller.session.person.id];
    this.#places.take(exchange, party);
    const read = async (after: string | undefined) => {
      await loopTurns.take(party);
      const page = { order: 'desc', waitMs: 0, limit: pageEvents } as const;
      return this.#feed.read(caller.orgId, { ...selection, after, ...page });
    };
    // Throws between two pages if the reader has lost access.
    const readNext = async (after: string) => {
      await authorizeAgain(this.#authorize, consoleOperations.exportAudit, exchange);
      return read(after);
    };
    const first = await read(selection.after);
    return new StreamedResponse(async (response) => {
      const { contentType, ...format } = formats[name];
      response.writeHead(200, {
        'Content-Type': contentType,
        'Content-Disposition': `attachment; filename="audit-${new Date().toISOString().slice(0, 10)}.${name}"`,
        'Cache-Control': 'private, no-store',
      });
      const signal = AbortSignal.any([AbortSignal.timeout(lastsMs), exchange.stopping]);
      try {
        // Breaks the connection if the file cannot be finished, so that browsers do not treat it as complete.
        await pipeline(Readable.from(textOf(format, first, readNext), { objectMode: false }), response, { signal });
      } catch (error) {
        if (!exchange.hasLeft) log.warn({ err: error, ...exchange.logIds }, 'an export was cut off');
      }
    });
  }
}

type Page = Awaited<ReturnType<EventFeed['read']>>;
type ReadNext = (after: string) => Promise<Page>;

async function* textOf({ head, row, end }: Omit<Format, 'contentType'>, first: Page, readNext: ReadNext) {
  yield head;
  let page = first;
  for (let count = 0; ;) {
    yield page.events.map((event) => row(shownEvent(event), count++ === 0)).join('');
    if (!page.hasMore || count >= exportMax) break;
    page = await readNext(page.nextCursor);
  }
  const oldest = page.events.at(-1)?.created_at ?? '';
  yield end(page.hasMore ? { next: page.nextCursor, oldest } : undefined);
}
