import type { ServerResponse } from 'node:http';

/** An answer that a test writes, in the gateway's wire format. */
export interface AnswerStream {
  /** Sends one part of a UI-message stream. */
  send(part: Record<string, unknown>): void;
  /** Sends text of the answer. */
  say(text: string): void;
  /** Sends exactly these bytes. */
  raw(text: string): void;
  /** Ends the answer like a gateway: with `finish` and `[DONE]`. */
  finish(): void;
  /** Ends the connection without `finish`. */
  cut(): void;
  /** Resolves when the client has disconnected or the answer has ended. */
  readonly closed: Promise<void>;
}

export type AnswerScript = (stream: AnswerStream, response: ServerResponse) => void | Promise<void>;

export interface TestSource {
  id: string;
  title: string;
  url: string;
}

/** Returns a whole answer with its sources, in pieces of at most 24 characters. */
export function textAnswer(text: string, sources: TestSource[] = []): AnswerScript {
  return (stream) => {
    for (const piece of text.match(/.{1,24}/gsu) ?? []) stream.say(piece);
    for (const { id, title, url } of sources) stream.send({ type: 'source-url', sourceId: id, url, title });
    stream.finish();
  };
}

/** Returns an answer that ends with the offer of a demo. */
export function demoAnswer(text: string, input: Record<string, unknown>): AnswerScript {
  return (stream) => {
    stream.say(text);
    stream.send({ type: 'tool-input-available', toolCallId: 'call-1', toolName: 'offer_demo', input });
    stream.finish();
  };
}

/** The answer to a question that the pages of the site do not answer. */
export const unanswered: AnswerScript = (stream) => {
  stream.say('I don’t know that.');
  stream.send({ type: 'data-contact', data: { reason: 'unanswered' } });
  stream.finish();
};

/** Returns an error instead of an answer. */
export function refusal(
  status: number,
  error: string,
  headers: Record<string, string> = {},
  more: object = {},
): AnswerScript {
  return (_stream, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error, message: 'Internal words <b>of the server</b>.', request_id: 'r', ...more }));
  };
}

export function answerStream(response: ServerResponse): AnswerStream {
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  const begin = () => {
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1' });
  };
  const raw = (text: string) => {
    begin();
    response.write(text);
  };
  const send = (part: object) => raw(`data: ${JSON.stringify(part)}\n\n`);
  let isBegun = false;
  const say = (delta: string) => {
    if (!isBegun) for (const type of ['start', 'start-step', 'text-start']) send({ type, id: 't' });
    isBegun = true;
    send({ type: 'text-delta', id: 't', delta });
  };
  const finish = () => {
    for (const type of ['text-end', 'finish-step', 'finish']) send({ type, id: 't' });
    raw('data: [DONE]\n\n');
    response.end();
  };
  return { send, say, raw, finish, cut: () => response.destroy(), closed };
}
