import { expect } from 'vitest';
import { until } from './until.ts';

/** A parsed server-sent event. Blocks without data create no event. */
interface ServerEvent {
  type: string;
  data: string;
  lastEventId: string;
}

/** Parses an event stream according to the HTML standard (9.2.6, "Interpreting an event stream"). */
class StreamParser {
  readonly events: ServerEvent[] = [];
  comments = 0;
  lastEventId: string;
  retryMs: number | undefined;
  #text = '';
  #isFirst = true;
  #type = '';
  #data = '';
  #id: string;

  constructor(lastEventId: string) {
    this.lastEventId = lastEventId;
    this.#id = lastEventId;
  }

  push(text: string): void {
    this.#text += this.#isFirst ? text.replace(/^\uFEFF/, '') : text;
    this.#isFirst = false;
    // Keeps a final carriage return, because a line feed may follow it.
    const lines = this.#text.split(/\r\n|\n|\r(?!$)/);
    this.#text = lines.pop()!;
    for (const line of lines) this.#readLine(line);
  }

  #readLine(line: string): void {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return void this.comments++;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#type = value;
    else if (field === 'data') this.#data += `${value}\n`;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(): void {
    this.lastEventId = this.#id;
    const [type, data] = [this.#type, this.#data];
    this.#type = this.#data = '';
    if (data !== '') this.events.push({ type: type || 'message', data: data.slice(0, -1), lastEventId: this.#id });
  }
}

/** Connects to an event stream over real HTTP and reads it. */
export async function readEventStream(address: string, headers: Record<string, string>, lastEventId = '') {
  const leaving = new AbortController();
  const response = await fetch(address, { headers, signal: leaving.signal });
  const parser = new StreamParser(lastEventId);
  let ended: 'cleanly' | 'cut' | undefined;
  const read = async () => {
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) parser.push(text);
  };
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const reading = isStream
    ? read().then(
        () => (ended = 'cleanly'),
        () => (ended = 'cut'),
      )
    : undefined;
  return {
    status: response.status,
    headers: response.headers,
    /** Body of a response that is not a stream. */
    body: isStream ? undefined : ((await response.json()) as Record<string, unknown>),
    parser,
    /** Waits until this many events were dispatched. */
    received: (count: number) => until(() => expect(parser.events.length).toBeGreaterThanOrEqual(count)),
    hasEnded: () => ended !== undefined,
    /** Waits for the end and returns how the stream ended. */
    end: () => until(() => (expect(ended).toBeDefined(), ended)),
    async close() {
      leaving.abort();
      await reading;
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}
