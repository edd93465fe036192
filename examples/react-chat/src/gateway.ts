/** Where the chat is, and the publishable key of this site. */
export interface Gateway {
  url: string;
  key: string;
}

export function gatewayHeaders({ key }: Gateway): Record<string, string> {
  return { 'X-Api-Key': key };
}

/** The seconds to wait that an error's body tells of, where it is a 429. */
export function waitOf(body: string): string | undefined {
  return /"error":"rate_limited".*? in (\d+) s/.exec(body)?.[1];
}

/** Sends a demo request; resolves once it is kept. Throws, with a sentence for the visitor, where it is not taken. */
export async function requestDemo(gateway: Gateway, fields: Record<string, string>): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/genie/demo-request`, {
    method: 'POST',
    headers: { ...gatewayHeaders(gateway), 'Content-Type': 'application/json' },
    body: JSON.stringify(fields),
    signal: AbortSignal.timeout(15_000),
  });
  if (response.ok) return;
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  // It is stored, and only the team's channel could not be reached. A proxy's own 502 has kept nothing.
  if (error === 'upstream_error') return;
  if (response.status === 429) throw new Error('Too many requests. Try again in a minute.');
  throw new Error('Please look at the fields again.');
}
