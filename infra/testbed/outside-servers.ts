/**
 * Counts of the outside servers: requests that are not answered yet, by endpoint; large answers; and look-ups of names
 * that hold a thread at this moment.
 */
export interface OutsideCounts {
  silentCalls: number;
  silentModel: number;
  silentChannel: number;
  largeResponses: number;
  heldNames: number;
}

/** Bytes of an answer to `/large`, near the maximum that a workflow accepts. */
export const largeResponseBytes = 256_000;

/** Words in a prompt or a message that make the outside servers misbehave. */
export const words = {
  /** The server never answers. */
  silent: 'neverAnswerThis',
  /** The model counts many tokens. */
  costly: 'countManyTokens',
} as const;

/** The token count of an answer to a costly prompt. */
export const costlyTokens = 20_000;

/** The text of the configured model, which differs from every answer of the built-in one. */
export const modelText = 'The configured model says so.';

export async function readOutside(url: string): Promise<OutsideCounts> {
  return (await (await fetch(`${url}/counts`)).json()) as OutsideCounts;
}
