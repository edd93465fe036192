import { z } from 'zod';
import { operation } from '../operation.ts';
import { countCharacters, longText, isStorable, shortText, problem, text } from '../fields/text.ts';

/** Tag and scope shared by all operations of the chatbot. */
export const chatOperation = { tag: 'Marketing chatbot', scope: 'chat' } as const;

/** Maximum number of characters (code points) in all texts of a conversation together. */
export const conversationCharactersMax = 100_000;

const ChatMessage = z
  .object({
    id: shortText().nullish(),
    role: z.enum(['user', 'assistant']),
    content: longText().nullish(),
    parts: z.array(z.unknown()).nullish().meta({
      description: 'Parts as the AI SDK sends them. Only parts of the type `text` are read.',
    }),
  })
  .check((ctx) => {
    if (!isStorable(messageText(ctx.value)))
      problem(ctx, 'invalid_format', 'Must not contain U+0000 or an unpaired surrogate.', ['parts']);
  })
  .meta({ id: 'ChatMessage', description: 'One message of the conversation, with its text in `parts` or `content`.' });

type ChatMessage = z.output<typeof ChatMessage>;

/** Returns the text of a message: its text parts, or `content` if it has none. */
export function messageText({ parts, content }: ChatMessage): string {
  const texts = (parts ?? []).filter(isTextPart).map(({ text: words }) => words);
  return texts.join('\n') || (content ?? '');
}

function isTextPart(part: unknown): part is { type: 'text'; text: string } {
  const { type, text: words } = (part ?? {}) as { type?: unknown; text?: unknown };
  return type === 'text' && typeof words === 'string';
}

function checkConversation(ctx: z.core.ParsePayload<{ messages: ChatMessage[] }>): void {
  const { messages } = ctx.value;
  const texts = messages.map(messageText);
  if (texts.reduce((sum, words) => sum + countCharacters(words), 0) > conversationCharactersMax)
    problem(ctx, 'too_long', 'All texts together must have at most 100,000 characters.', ['messages']);
  if (messages.length > 0 && !messages.some(({ role }, at) => role === 'user' && texts[at]!.trim() !== ''))
    problem(ctx, 'required', 'At least one message with the role user must contain text.', ['messages']);
}

const chatExample = {
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'What does it cost?' }] }],
  session_id: 'visitor-42',
};

export const ChatRequest = z
  .object({
    messages: z.array(ChatMessage).min(1).max(40).meta({ description: 'The conversation so far, oldest first.' }),
    session_id: shortText().nullish().meta({ description: 'Opaque visitor session identifier; not kept.' }),
  })
  .check(checkConversation)
  .meta({ id: 'ChatRequest', examples: [chatExample] });

export type ChatRequest = z.output<typeof ChatRequest>;

export const chat = operation({
  ...chatOperation,
  id: 'chat',
  method: 'post',
  path: '/v1/genie/chat',
  summary: 'Ask the chatbot',
  description: 'Responds with a UI-message stream, which the chat hook of the AI SDK reads with its default transport.',
  body: ChatRequest,
  example: chatExample,
  success: { status: 200, description: 'The answer, streamed as it is generated.', contentType: 'text/event-stream' },
});

const voteExample = { answer_id: '5f0c1e9a7b3d4286', vote: 'up' };

export const AnswerVote = z
  .strictObject({
    answer_id: text({ min: 1, max: 64 }).meta({
      description: 'ID that the page gave to the answer. Only the first vote for it counts. Not stored.',
    }),
    vote: z.enum(['up', 'down']),
  })
  .meta({ id: 'AnswerVote', examples: [voteExample] });

export type AnswerVote = z.output<typeof AnswerVote>;

export const voteAnswer = operation({
  ...chatOperation,
  id: 'voteAnswer',
  method: 'post',
  path: '/v1/genie/answer-vote',
  summary: 'Vote on an answer',
  description: 'The vote is counted in the metrics and not stored.',
  body: AnswerVote,
  example: voteExample,
  success: {
    status: 200,
    description: 'The vote is counted. Of repeated votes for an answer, only the first one counts.',
    body: z.object({ ok: z.literal(true) }).meta({ id: 'AnswerVoteAccepted' }),
  },
});
