import { once } from 'node:events';
import { EventStream, type HandlerContext, StreamedAnswer, StreamPlaces } from '@relata/http';
import { ReadersLeftError } from '@relata/runtime';
import { type ChangeKind, consoleOperations } from '@relata/schemas/console';
import type { OrgCaller } from '../session/console-caller.ts';
import type { bySession } from '../session/authorize.ts';
import type { LiveOrganizations } from './live-organizations.ts';

/** Streams of one process; one organization alone has half of them. */
const streamsMax = 200;
/** A browser has six connections to a host by HTTP/1.1: two are left for what the pages ask. */
const ofOneMax = 4;
const retryAfterSeconds = 30;
const tooManyOfOne = `You have ${ofOneMax} event streams open, which is the limit. Close another tab. Until then, pages refresh at intervals.`;

type Authorize = ReturnType<typeof bySession>;

export interface ChangeStreamsOptions {
  live: LiveOrganizations;
  /** Asked again while a stream is open: the session may end, or the membership. */
  authorize: Authorize;
  /** After which a stream ends, for its page to come back; 5 minutes unless given. */
  lastsMs?: number;
  /** How soon at most a stream ends whose session has ended; 4 seconds unless given. */
  commentEveryMs?: number;
}

/** Streams that say that something has changed, and never what. */
export class ChangeStreams {
  readonly #options: Required<ChangeStreamsOptions>;
  readonly #places = new StreamPlaces({ streamsMax, ofOneMax, retryAfterSeconds, tooManyOfOne });

  constructor(options: ChangeStreamsOptions) {
    this.#options = { lastsMs: 300_000, commentEveryMs: 4_000, ...options };
  }

  /** Answers once it is watched: what a page asks for behind the head of the answer is not missed. */
  async open({ caller, exchange }: HandlerContext<OrgCaller>): Promise<StreamedAnswer> {
    if (exchange.hasLeft) throw new ReadersLeftError('The reader has left.');
    const { orgId, session } = caller;
    const { live, lastsMs, commentEveryMs } = this.#options;
    const release = this.#places.take([orgId, session.person.id]);
    exchange.response.once('close', release);
    const isAllowed = () => this.#isAllowed(exchange, caller);
    const stream = new EventStream(exchange, { lastsMs, commentEveryMs, retryMs: 2_000, isAllowed });
    let isBegun = false;
    const send = (kinds: readonly ChangeKind[]) => {
      if (isBegun) stream.write(`event: change\ndata: ${kinds.join(',')}\n\n`);
    };
    await live.watch(orgId, send, stream.signal);
    return new StreamedAnswer(async () => {
      isBegun = stream.begin();
      if (isBegun && !stream.signal.aborted) await once(stream.signal, 'abort');
      stream.close();
    });
  }

  /** False too where it cannot be found out: the page comes back, and is answered as any. */
  async #isAllowed(exchange: HandlerContext['exchange'], { session }: OrgCaller): Promise<boolean> {
    try {
      const request = exchange.response.req as Parameters<Authorize>[1];
      const caller = await this.#options.authorize(consoleOperations.readChanges, request, exchange);
      return caller.session?.session_id === session.session_id;
    } catch {
      return false;
    }
  }
}
