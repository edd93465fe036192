import type { HttpClient } from '@relata/testbed/http-client';
import { ask } from './client.ts';
import type { Tally } from './tally.ts';

export interface Followed {
  /** Name under which its responses are counted. */
  what: string;
  path: string;
  headers: Record<string, string>;
}

export type Follower = ReturnType<typeof follow>;

/**
 * Reads a stream of server-sent events and reopens it after its end, from the last id, as browsers and libraries do. A
 * stream that is cut off before its response is complete counts as a failure.
 */
export function follow(client: HttpClient, tally: Tally, { what, path, headers }: Followed) {
  const seen: string[] = [];
  let lastId: string | undefined;
  let isEnding = false;
  /** Collects the events of all complete blocks, and returns the rest of the text. */
  const read = (text: string): string => {
    const blocks = text.split('\n\n');
    for (const block of blocks.slice(0, -1)) {
      lastId = /^id: (.*)$/m.exec(block)?.[1] ?? lastId;
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) seen.push(data);
    }
    return blocks.at(-1)!;
  };
  const followOnAndOn = async () => {
    while (!isEnding) {
      const last = lastId === undefined ? {} : { 'last-event-id': lastId };
      const all = { ...headers, accept: 'text/event-stream', ...last };
      let rest = '';
      const response = await ask(client, { path, headers: all }, (piece) => (rest = read(rest + piece)));
      if (!isEnding) tally.take(what, response, 200);
    }
  };
  void followOnAndOn();
  return {
    seen,
    /** Stops reopening the stream. The open stream ends with its client. */
    stop: () => void (isEnding = true),
  };
}
