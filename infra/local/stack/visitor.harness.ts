import { until } from '@relata/testing';
import { expect } from 'vitest';
import { organizationOf } from './stack.harness.ts';
import type { StackFile } from './stack-file.ts';

/** Returns functions that send the requests of a visitor of a stack's demo site. */
export function visitorOf(stack: StackFile) {
  /** Posts, and repeats the post after 503: on a busy machine an app may wait too long for its database. */
  const post = (path: string, headers: Record<string, string>, body: object): Promise<Response> =>
    until(async () => {
      const response = await fetch(stack.base_url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      });
      expect(response.status, await (response.status === 503 ? response.text() : '')).not.toBe(503);
      return response;
    });
  const { keys } = organizationOf(stack, 'Acme');
  return {
    post,
    /** Asks a question, like the chat on a page of this origin. */
    ask: (question: string, origin: string) =>
      post(
        '/v1/genie/chat',
        { 'X-Api-Key': keys.publishable ?? '', Origin: origin },
        { messages: [{ role: 'user', parts: [{ type: 'text', text: question }] }] },
      ),
    requestDemo: (form: object) => post('/v1/genie/demo-request', { 'X-Api-Key': keys.chat ?? '' }, form),
  };
}
