/** Requests that other people's servers have not answered, by where they wait, and large answers that they gave. */
export interface OutsideCounts {
  silentCalls: number;
  silentModel: number;
  silentChannel: number;
  largeAnswers: number;
}

/** Bytes of an answer to `/large`: near the most that a workflow takes. */
export const largeAnswerBytes = 256_000;

/** Words in a prompt or a message that make other people's servers misbehave. */
export const words = {
  /** No answer ever comes. */
  silent: 'neverAnswerThis',
  /** The model counts many tokens. */
  costly: 'countManyTokens',
} as const;

/** What the model counts for an answer that was asked to be costly. */
export const costlyTokens = 20_000;

/** What the configured model says, so that its answers differ from the built-in one's. */
export const modelText = 'The configured model says so.';

export async function readOutside(url: string): Promise<OutsideCounts> {
  return (await (await fetch(`${url}/counts`)).json()) as OutsideCounts;
}
