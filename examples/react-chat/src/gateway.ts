/** Address of the chat, and the publishable key of this site. */
export interface Gateway {
  url: string;
  key: string;
}

export function gatewayHeaders({ key }: Gateway): Record<string, string> {
  return { 'X-Api-Key': key };
}

/** Text for a visitor if the service fails or refuses this page. */
export const failedText = 'That did not work. Please try again in a moment.';

/** Returns the number of seconds to wait, from the body of a 429. Returns undefined for any other error. */
export function waitOf(body: string): string | undefined {
  return /"error":"rate_limited".*? in (\d+) s/.exec(body)?.[1];
}

/** Returns the text without what the gateway refuses: U+0000 and unpaired surrogates. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

/** Sends a demo request, and returns once it is stored. Otherwise throws an error with a text for the visitor. */
export async function requestDemo(gateway: Gateway, fields: Record<string, string>): Promise<void> {
  const storable = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, storableText(value)]));
  const response = await post(gateway, '/v1/genie/demo-request', storable);
  if (response.ok) return;
  const body = await response.text().catch(() => '');
  // The request is stored, but the team's channel could not be reached. A 502 of a proxy has a different body, and
  // means that nothing is stored.
  if (body.includes('"error":"upstream_error"')) return;
  if (response.status === 429) throw new Error('Too many requests. Try again in a minute.');
  throw new Error(response.status === 400 ? 'Please check the fields.' : failedText);
}

export type Vote = 'up' | 'down';

/** Sends a visitor's vote on an answer. Ignores failures, because a lost vote is not worth an error on the page. */
export async function sendVote(gateway: Gateway, answerId: string, vote: Vote): Promise<void> {
  await post(gateway, '/v1/genie/answer-vote', { answer_id: answerId, vote });
}

/** Sends a request. If no response arrives, returns one with the status 0. */
function post(gateway: Gateway, path: string, body: object): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { ...gatewayHeaders(gateway), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  }).catch(() => Response.error());
}
