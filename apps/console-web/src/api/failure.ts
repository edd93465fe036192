import type { DefinitionFault } from './types.ts';

export interface ErrorDetail {
  /** Name of the field; dotted if it is nested: `origins.1`. */
  field: string;
  code: string;
  message: string;
}

interface FailureBody {
  error: string;
  message: string;
  details?: ErrorDetail[];
  request_id?: string;
  newest_version?: number;
  trashed_id?: string;
  faults?: DefinitionFault[];
}

/** An error response. Without any response, its status is 0 and its code `unreachable`. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | undefined;
  readonly newestVersion: number | undefined;
  /** Id of the record in the trash that must be restored first. */
  readonly trashedId: string | undefined;
  /** All faults of a definition; empty for other failures. */
  readonly faults: readonly DefinitionFault[];
  /** Value of `Retry-After` in ms; 0 if the response has none. */
  readonly retryAfterMs: number;

  constructor(
    status: number,
    body: FailureBody,
    { retryAfterMs = 0, ...options }: ErrorOptions & { retryAfterMs?: number } = {},
  ) {
    super(body.message, options);
    this.name = 'ApiFailure';
    this.status = status;
    this.code = body.error;
    this.details = body.details ?? [];
    this.requestId = body.request_id;
    this.newestVersion = body.newest_version;
    this.trashedId = body.trashed_id;
    this.faults = body.faults ?? [];
    this.retryAfterMs = retryAfterMs;
  }

  /** True if the service did not respond or is unavailable (502 or above), so that a retry may work later. */
  get isOutage(): boolean {
    return this.code === 'unreachable' || this.status >= 502;
  }
}

/** Reads the failure from a response. The response may come from a proxy and have another format. */
export async function readFailure(response: Response): Promise<ApiFailure> {
  const body: unknown = await response.json().catch(() => undefined);
  const unexpected = {
    error: 'unexpected',
    message: `Unexpected response from the server (HTTP ${response.status}). Try again.`,
  };
  const retryAfterMs = retryAfterOf(response);
  return new ApiFailure(response.status, isFailureBody(body) ? body : unexpected, { retryAfterMs });
}

function retryAfterOf(response: Response): number {
  const value = response.headers.get('retry-after') ?? '';
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return ms > 0 ? ms : 0;
}

function isFailureBody(body: unknown): body is FailureBody {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body;
}

const unansweredReads = 'The server did not respond. Try again.';
const unansweredActs = 'The server did not respond, so this may or may not have been done. Check before you try again.';

/** Returns the failure for a missing or incomplete response. The server may or may not have done the action. */
export function unreachable(isRead: boolean, cause: unknown): ApiFailure {
  return new ApiFailure(0, { error: 'unreachable', message: isRead ? unansweredReads : unansweredActs }, { cause });
}

/** Returns the failure for an action that was not sent, because the service is known to be down. */
export function notDone(): ApiFailure {
  const message = 'Not done: the server is not responding. Your input is kept. Try again when it is back.';
  return new ApiFailure(0, { error: 'unreachable', message });
}

/** Returns the error if it is an `ApiFailure`. Any other error is a bug: logs it, and returns a general failure. */
export function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  console.error(error);
  return new ApiFailure(0, {
    error: 'fault',
    message: 'Something went wrong on this page. Reload it. The browser console has details.',
  });
}

/** Returns a fault's message for people. Rewords messages of the API that are meant for programs. */
export function faultText({ code, message }: Pick<ErrorDetail, 'message'> & { code?: string }): string {
  if (code === 'required' || message === 'Must have at least 1 character.') return 'This field is required.';
  if (message === 'Must have at least 1 item.') return 'Select at least one.';
  return message.replace(/^Must have (at \w+ \d+) items?\.$/, 'Enter $1.');
}

/** Returns the location of a problem in words, followed by its message. */
export function placedText(fault: Pick<ErrorDetail, 'message'> & { field?: string; code?: string }): string {
  const place = placeText(fault.field ?? '');
  return place ? `${place}: ${faultText(fault)}` : faultText(fault);
}

/** Singular names for the items of certain lists. */
const memberNames: Record<string, string> = { steps: 'step', items: 'item' };

/**
 * Returns the location of a problem in words, counted from 1: `steps[1].with.set.email` is “Step 2, with.set.email”,
 * and `contact_ids.0` is “contact_ids, item 1”.
 */
export function placeText(path: string): string {
  const parts: string[] = [];
  let names: string[] = [];
  for (const segment of path.match(/[^.[\]$]+/g) ?? []) {
    const list = memberNames[names.at(-1) ?? ''];
    if (!/^\d+$/.test(segment)) names.push(segment);
    else {
      if (list) names.pop();
      parts.push(names.join('.'), `${list ?? 'item'} ${Number(segment) + 1}`);
      names = [];
    }
  }
  const text = [...parts, names.join('.')].filter(Boolean).join(', ');
  return text.replace(/^(step|item) \d/, (begin) => begin[0]!.toUpperCase() + begin.slice(1));
}

export function fieldFaults(failure: ApiFailure | undefined, name: string): string | undefined {
  const own = failure?.details.filter(({ field }) => field === name || field.startsWith(`${name}.`)) ?? [];
  return own.length > 0 ? own.map(faultText).join(' ') : undefined;
}
