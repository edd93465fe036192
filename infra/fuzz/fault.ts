import type { FuzzRequest } from './request.ts';
import type { FuzzResponse } from './send.ts';
import type { Called } from './surface.ts';

/** Returns the reason why a response is a fault of the service, or undefined if it is not a fault. */
export function faultOf(
  response: FuzzResponse | Error,
  { isCutOff, bytes, parameters }: FuzzRequest,
  { app, isList }: Called,
): string | undefined {
  if (response instanceof Error) return response.message;
  const { status, headers, body } = response;
  // Node closes a connection without a response if the request is cut off.
  if (status === 0) return isCutOff ? undefined : 'closed without a response';
  const shown = `${status} ${body.slice(0, 300)}`;
  if (status === 503 && headers.has('retry-after')) return undefined;
  if (status >= 500) return shown;
  if (
    status >= 400 &&
    !bytes.toString('latin1', 0, 5).startsWith('HEAD ') &&
    !isError(response) &&
    !(app === 'console' && isPage(response))
  )
    return `an error without its body: ${shown}`;
  if (isList && status === 400 && !namesParameters(body, parameters))
    return `a refusal that does not name its parameter: ${shown}`;
  return undefined;
}

interface RefusedBody {
  error: string;
  message: string;
  details?: { in: string; field: string }[];
}

/** Returns false if a response refuses a query but does not name the wrong parameters. */
function namesParameters(body: string, parameters: readonly string[]): boolean {
  const { error, message, details = [] } = JSON.parse(body || '{}') as RefusedBody;
  if (error !== 'validation_error' || message.startsWith('The request is not valid HTTP.')) return true;
  return details.length > 0 && details.every((each) => each.in !== 'query' || parameters.includes(each.field));
}

const isPage = ({ headers }: FuzzResponse) => headers.get('content-type')?.startsWith('text/html') === true;

/** Returns true if the body is an error: JSON whose member `error` is a string. */
function isError({ headers, body }: FuzzResponse): boolean {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return headers.get('content-type')?.startsWith('application/json') === true && typeof error === 'string';
  } catch {
    return false;
  }
}
