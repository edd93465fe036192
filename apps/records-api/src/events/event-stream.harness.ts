import { readEventStream } from '@relata/testing';

export interface StreamRequest {
  key: string;
  /** Query of `/v1/events`. */
  query?: string;
  lastEventId?: string;
  accept?: string;
}

/** Opens a client of the event stream, over real HTTP. */
export function openEventStream(url: string, request: StreamRequest) {
  const { key, query = '', lastEventId = '', accept = 'text/event-stream' } = request;
  const headers = { 'X-Api-Key': key, Accept: accept, ...(lastEventId && { 'Last-Event-ID': lastEventId }) };
  return readEventStream(`${url}/v1/events?${query}`, headers, lastEventId);
}
