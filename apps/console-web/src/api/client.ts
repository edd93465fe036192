import { isServiceThere, reportOutage } from './connection.ts';
import { ApiFailure, readFailure, notDone, unreachable } from './failure.ts';
import { operations } from './operations.ts';
import { sessionReopened } from './session.ts';
import type { OutputOf, InputOf, Me, OperationId } from './types.ts';

const base = '/console/api';
const responseMaxMs = 30_000;

interface Parts {
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

/**
 * Calls an operation of the console. Throws an `ApiFailure`. If the session has ended, waits until the person has
 * signed in again in the overlay, and then continues; `signOut` does not wait. During an outage, only reads are sent.
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  signal?: AbortSignal,
): Promise<OutputOf<Id>> {
  const [method, path] = operations[id];
  const parts = input as Parts;
  for (;;) {
    if (method !== 'GET' && !(await isServiceThere())) throw notDone();
    const response = await send(method, addressOf(path, parts), parts.body, signal);
    if (!(response instanceof ApiFailure)) return response as OutputOf<Id>;
    if (response.isOutage) reportOutage(response.retryAfterMs);
    if (isDenial(response) && path.includes('{org}')) onDenied();
    if (response.code !== 'unauthorized' || id === 'signOut' || !(await sessionReopened())) throw response;
  }
}

/** True if the person may have lost access. A 404 can also mean that a record does not exist. */
const isDenial = ({ status }: ApiFailure) => status === 403 || status === 404;

let onDenied = () => {};

/**
 * Sets the callback for requests that are refused because the person has no access to the organization, or lacks the
 * role.
 */
export function watchDenials(callback: () => void): void {
  onDenied = callback;
}

/** Returns the body of the response, or the failure. An incomplete body counts as a missing response. */
async function send(method: string, address: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
  const limits = [AbortSignal.timeout(responseMaxMs), ...(signal ? [signal] : [])];
  try {
    const response = await fetch(address, {
      method,
      signal: AbortSignal.any(limits),
      // Every action sends JSON, even without input, because forms on other sites cannot send JSON.
      headers: { ...attendanceHeaders(), ...(method !== 'GET' && { 'content-type': 'application/json' }) },
      ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
    });
    return response.ok ? await response.json() : await readFailure(response);
  } catch (error) {
    if (signal?.aborted) throw error;
    return unreachable(method === 'GET', error);
  }
}

/** Probes the service with one request. Returns undefined if it works, otherwise its `Retry-After` in ms. */
export async function probeService(): Promise<number | undefined> {
  const response = await send('GET', `${base}/me`);
  return response instanceof ApiFailure && response.isOutage ? response.retryAfterMs : undefined;
}

/** Returns the URL of an operation, for use in a link. */
export const addressIn = <Id extends OperationId>(id: Id, input: InputOf<Id>) =>
  addressOf(operations[id][1], input as Parts);

function addressOf(path: string, { params = {}, query = {} }: Parts): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return `${base}${filled}${search.size > 0 ? `?${search}` : ''}`;
}

/**
 * Returns the signed-in person; undefined if nobody is signed in or the server does not respond. Unlike `call`, it does
 * not wait for a sign-in.
 */
export async function findMe(): Promise<Me | undefined> {
  const response = await send('GET', `${base}/me`);
  return response instanceof ApiFailure ? undefined : (response as OutputOf<'getMe'>).data;
}

/** Time without input, in ms, after which background requests no longer extend the session. */
const attendedMs = 60_000;

/** Time of the last input, in ms since 1970. Opening the page counts as input. */
let lastSignAt = Date.now();
for (const sign of ['pointerdown', 'pointermove', 'wheel', 'keydown'])
  addEventListener(sign, () => (lastSignAt = Date.now()), { capture: true, passive: true });

/** Marks requests of a page without recent input, so that they do not extend the session. */
function attendanceHeaders(): Record<string, string> {
  return Date.now() - lastSignAt > attendedMs ? { 'relata-unattended': '1' } : {};
}
