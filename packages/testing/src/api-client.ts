import type { ErrorBody } from '@relata/schemas/errors';

/** Generous timeout, because a busy machine can stall for seconds. */
const responseTimeoutMs = 120_000;

export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  // Tests assert the contents of a response.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  error: ErrorBody;
}

export interface ApiRequest {
  key?: string | undefined;
  headers?: Record<string, string>;
  /** Body, sent as JSON; a string or bytes are sent unchanged. */
  body?: unknown;
}

export type ApiClient = (method: string, path: string, request?: ApiRequest) => Promise<ApiResponse>;

/** Creates an HTTP client for the API at `url`. It sends the default key unless a request has its own key. */
export function apiClient(url: string, defaultKey?: string): ApiClient {
  return async (method, path, request = {}) => {
    const key = 'key' in request ? request.key : defaultKey;
    const headers = {
      ...(key !== undefined && { 'X-Api-Key': key }),
      ...(request.body !== undefined && { 'Content-Type': 'application/json' }),
      ...request.headers,
    };
    const response = await fetch(url + path, {
      method,
      headers,
      ...bodyOf(request.body),
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    const text = await response.text();
    const body = text.startsWith('{') ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, body, error: body };
  };
}

function bodyOf(body: unknown): { body?: string | Uint8Array<ArrayBuffer> } {
  if (body === undefined) return {};
  if (typeof body === 'string') return { body };
  if (body instanceof Uint8Array) return { body: body as Uint8Array<ArrayBuffer> };
  return { body: JSON.stringify(body) };
}
