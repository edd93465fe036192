import { waitSeconds } from '../chat/failure.ts';
import { type Gateway, postJson } from '../chat/gateway-client.ts';
import { asRecord } from '../stream/record.ts';
import { demoFields, type DemoInput, type DemoProblems } from './demo-fields.ts';

export type DemoOutcome =
  | { readonly kind: 'sent' }
  /** The service has stored the request, and will notify the team later. */
  | { readonly kind: 'kept' }
  /** Too many requests; the next one is allowed at `until`, in milliseconds since 1970. */
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'problems'; readonly problems: DemoProblems };

const timeoutMs = 20_000;
const messageCharsMax = 200;

const formProblem = (form: string): DemoOutcome => ({ kind: 'problems', problems: { form } });

/** Sends a demo request. Never rejects, because every failure is one of the outcomes. */
export async function sendDemoRequest(gateway: Gateway, body: DemoInput): Promise<DemoOutcome> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await postJson(gateway, '/v1/genie/demo-request', body, signal);
    return await outcomeOf(response);
  } catch {
    return formProblem('Your request could not be sent. Check your connection and try again.');
  }
}

async function outcomeOf(response: Response): Promise<DemoOutcome> {
  const { status, headers } = response;
  if (response.ok) return { kind: 'sent' };
  if (status === 429) return { kind: 'wait', until: Date.now() + 1_000 * waitSeconds(headers) };
  const answer = asRecord(await response.json().catch(() => undefined));
  // A proxy in front of the service may answer 502 too, without having stored anything.
  if (status === 502 && answer.error === 'upstream_error') return { kind: 'kept' };
  if (status === 400) return { kind: 'problems', problems: problemsOf(answer) };
  if (status === 401 || status === 403) return formProblem('This form is not set up for this site.');
  return formProblem('Your request could not be sent right now. Please try again in a moment.');
}

/** Returns the messages of the service by field. They are written for visitors. */
function problemsOf({ details }: Record<string, unknown>): DemoProblems {
  const byField = (Array.isArray(details) ? details : []).flatMap((detail) => {
    const { field, message } = asRecord(detail);
    const isShown = demoFields.some(({ name }) => name === field) && typeof message === 'string';
    return isShown ? [[field, message.slice(0, messageCharsMax)]] : [];
  });
  if (byField.length === 0) return { form: 'Something in the form was not accepted. Please check your entries.' };
  return Object.fromEntries(byField) as DemoProblems;
}
