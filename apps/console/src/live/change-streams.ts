import { once } from 'node:events';
import { EventStream, type HandlerContext, StreamedResponse, StreamSlots } from '@relata/http';
import { type ChangeKind, consoleOperations } from '@relata/schemas/console';
import type { OrgCaller } from '../session/console-caller.ts';
import { authorizeAgain, type AuthorizeBySession } from '../session/authorize.ts';
import type { LiveOrganizations } from './live-organizations.ts';

/** Maximum number of streams per process. An organization gets at most half of them. */
const streamsMax = 200;
/**
 * Maximum number of streams per person. With HTTP/1.1 a browser has six connections to a host, so two are left for the
 * requests of pages.
 */
const ofOneMax = 4;
const retryAfterSeconds = 30;
const tooManyOfOne = `You have ${ofOneMax} event streams open, which is the limit. Close another tab. Until then, pages refresh at intervals.`;

export interface ChangeStreamsOptions {
  live: LiveOrganizations;
  /**
   * Function that authorizes a request. It is called again while a stream is open, since the session or the membership
   * may end.
   */
  authorize: AuthorizeBySession;
  /** Time in ms after which a stream ends and its page reconnects; 5 minutes by default. */
  lastsMs?: number;
  /**
   * Time in ms between two comments; 4 seconds by default. Before each comment the session is checked. If it has ended,
   * the stream ends.
   */
  commentEveryMs?: number;
}

/** Streams that report only which kinds of data have changed; pages then fetch the data. */
export class ChangeStreams {
  readonly #options: Required<ChangeStreamsOptions>;
  readonly #places = new StreamSlots({ streamsMax, ofOneMax, retryAfterSeconds, tooManyOfOne });

  constructor(options: ChangeStreamsOptions) {
    this.#options = { lastsMs: 300_000, commentEveryMs: 4_000, ...options };
  }

  /**
   * Opens a stream. Watches for changes before it begins the response, so that a page that then fetches data misses no
   * change.
   */
  async open({ caller, exchange }: HandlerContext<OrgCaller>): Promise<StreamedResponse> {
    const { orgId, session } = caller;
    const { live, lastsMs, commentEveryMs } = this.#options;
    this.#places.take(exchange, [orgId, session.person.id]);
    const isAllowed = () => this.#isAllowed(exchange, caller);
    const stream = new EventStream(exchange, { lastsMs, commentEveryMs, retryMs: 2_000, isAllowed });
    let isBegun = false;
    const send = (kinds: readonly ChangeKind[]) => {
      if (isBegun) stream.write(`event: change\ndata: ${kinds.join(',')}\n\n`);
    };
    await live.watch(orgId, send, stream.signal);
    return new StreamedResponse(async () => {
      isBegun = stream.begin();
      if (isBegun && !stream.signal.aborted) await once(stream.signal, 'abort');
      stream.close();
    });
  }

  /**
   * Returns true if the session is still valid. Also returns false if that cannot be determined; the page then
   * reconnects, and is authorized again.
   */
  async #isAllowed(exchange: HandlerContext['exchange'], { session }: OrgCaller): Promise<boolean> {
    try {
      const caller = await authorizeAgain(this.#options.authorize, consoleOperations.readChanges, exchange);
      return caller.session?.session_id === session.session_id;
    } catch {
      return false;
    }
  }
}
