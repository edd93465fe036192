import type { ApiResponse, ApiRequest } from './api-client.ts';

export interface WriteRequest extends ApiRequest {
  kind: string;
  method: 'POST' | 'PATCH';
  body: string;
  /** Email addresses of the contacts that this write creates. No other write uses them. */
  makes: readonly string[];
  changes?: string;
  /** Status of the response if no fault prevents it. */
  status: number;
}

/** A write through the API, with every attempt to make it. */
export interface Write extends WriteRequest {
  nonce: string;
  /** True if it has an Idempotency-Key, and is sent until it is answered. */
  isNamed: boolean;
  attempts: WriteAttempt[];
  /** Result of repeating the request at the end. */
  replay?: WriteAttempt | undefined;
}

export interface WriteAttempt extends ApiResponse {
  requestId: string;
}

/** Returns the attempts that were answered with the expected status. */
export function answersTo({ attempts, replay, status }: Write): WriteAttempt[] {
  return [...attempts, ...(replay ? [replay] : [])].filter((attempt) => attempt.status === status);
}

/** Returns true if another request with the same idempotency key is in progress. */
export function isInProgress({ status, text }: ApiResponse): boolean {
  return status === 409 && (JSON.parse(text) as { error: string }).error === 'idempotency_in_progress';
}

/** Returns the records in a response: one, or one for each item. */
export function recordsIn({ text }: ApiResponse): Record<string, unknown>[] {
  type One = { data: Record<string, unknown> };
  const { data } = JSON.parse(text) as One | { data: One[] };
  return Array.isArray(data) ? data.map((item) => (item as One).data) : [data];
}

/** Returns the number of events that a write causes. */
export function effectsOf({ makes, changes }: Write): number {
  return makes.length + (changes === undefined ? 0 : 1);
}
