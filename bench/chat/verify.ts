import { chatPath, questionBody } from '@relata/testbed/chat-question';
import { tokenAt } from '@relata/testbed/completion-chunks';
import { follow } from '@relata/testbed/model';
import type { Program } from '@relata/testbed/program';
import type { TestBed } from './test-bed.ts';

interface Part {
  type: string;
  delta?: string;
}

const checkedTokens = 100;
const answerTimeoutMs = 10_000;

/** Asks a question as an ordinary client and checks that the model answered; the load itself only counts tokens. */
export async function verify({ model, questions, headers }: TestBed, { url }: Program): Promise<void> {
  await follow(model, { firstMs: 0, tokens: checkedTokens, gapMs: 5 });
  const response = await fetch(url + chatPath, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(questionBody(questions[0]!)),
    signal: AbortSignal.timeout(answerTimeoutMs),
  });
  const answer = await response.text();
  const expected = Array.from({ length: checkedTokens }, (_, place) => tokenAt(place)).join('');
  if (response.status !== 200 || textOf(answer) !== expected)
    throw new Error(`A question to ${url} was answered wrongly: ${response.status} ${answer.slice(0, 1_000)}`);
}

function textOf(answer: string): string {
  const frames = answer.split('\n\n').filter((frame) => frame.startsWith('data: {'));
  const parts = frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as Part);
  return parts.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join('');
}
