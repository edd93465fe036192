import { CliError } from '../../output/cli.error.ts';
import { collect } from '../../command/text-source.ts';

const responseTimeoutMs = 15_000;
const responseBytesMax = 65_536;

export interface SentDelivery {
  url: string;
  credentials: Record<string, string>;
  body: string;
  /** Headers in addition to those of every delivery. */
  headers: Record<string, string>;
  /** Idempotency key, by which the delivery is found in the database. */
  repeatKey: string;
}

export interface ReceiverResponse {
  status: number;
  body: unknown;
}

/** Posts a delivery to the receiver and returns the response, even if its status is an error. */
export async function postDelivery({
  url,
  credentials,
  body,
  headers: given,
  repeatKey,
}: SentDelivery): Promise<ReceiverResponse> {
  const own = { 'content-type': 'application/json', ...credentials, 'idempotency-key': repeatKey };
  const headers = new Headers({ ...given, ...own });
  // A redirect is not followed, because the secret must be sent only to the given address.
  const options = { method: 'POST', headers, body, redirect: 'manual' } as const;
  try {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(responseTimeoutMs) });
    const bytes = response.body ? await collect(response.body, responseBytesMax) : undefined;
    return { status: response.status, body: parse(bytes?.toString('utf8') ?? '') };
  } catch (error) {
    throw unreachable(url, error as Error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unreachable(url: string, error: Error): CliError {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  const reason = error.name === 'TimeoutError' ? `no answer within ${responseTimeoutMs / 1_000} s` : code || message;
  const explanation = `The receiver at ${new URL(url).origin} cannot be reached (${reason}).`;
  return new CliError('service_unavailable', explanation, { cause: error });
}
