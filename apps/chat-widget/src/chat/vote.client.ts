import { type Gateway, postJson } from './gateway.client.ts';
import type { Vote } from './message.ts';

const timeoutMs = 10_000;

/** Sends a vote for an answer. One that does not arrive is lost: that is not worth a message to the visitor. */
export async function sendVote(gateway: Gateway, answerId: string, vote: Vote): Promise<void> {
  try {
    const body = { answer_id: answerId, vote };
    const response = await postJson(gateway, '/v1/genie/answer-vote', body, AbortSignal.timeout(timeoutMs));
    await response.body?.cancel();
  } catch {
    // A gateway that is away, or an older one.
  }
}
