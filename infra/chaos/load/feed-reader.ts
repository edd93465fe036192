import { setTimeout as pause } from 'node:timers/promises';
import type { Event } from '@relata/schemas';
import type { ApiClient } from './api-client.ts';
import type { Random } from '@relata/testbed/random';

const waitSeconds = 2;
const repeatPauseMs = 100;
const caughtUpWithinMs = 20_000;
const limits = [7, 50, 300];

interface FeedPage {
  data: Event[];
  next_cursor: string;
}

export type FeedReader = ReturnType<typeof followFeed>;

/** Follows the feed from its start until `stop`, and continues from the last cursor after any failure. */
export function followFeed(client: ApiClient, random: Random) {
  const events: Event[] = [];
  /** Answers that no reader should get. */
  const refusals: string[] = [];
  let cursor = 'start';
  let isEnding = false;
  /** Returns the number of received events; undefined if there was no response. */
  const readOnce = async (wait: number): Promise<number | undefined> => {
    const path = `/v1/events?after=${cursor}&limit=${random.pick(limits)}&wait=${wait}`;
    const { status, text } = await client.send({ method: 'GET', path });
    if (status === 200) {
      const { data, next_cursor: next } = JSON.parse(text) as FeedPage;
      cursor = next;
      events.push(...data);
      return data.length;
    }
    if (status !== undefined && status !== 503) refusals.push(`${status} ${text}`);
    await pause(repeatPauseMs);
    return undefined;
  };
  const readOnAndOn = async () => {
    while (!isEnding) await readOnce(waitSeconds);
  };
  const reading = readOnAndOn();
  const stop = () => void (isEnding = true);
  return {
    events,
    refusals,
    stop,
    /** Returns once this reader has seen the last event and no event after it, or when the time is over. */
    end: async (lastId: string) => {
      stop();
      await reading;
      const deadline = Date.now() + caughtUpWithinMs;
      for (let isOver = false; !isOver && Date.now() < deadline;)
        isOver = (await readOnce(0)) === 0 && events.at(-1)?.id === lastId;
    },
  };
}
