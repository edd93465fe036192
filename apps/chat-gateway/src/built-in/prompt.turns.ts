import type { LanguageModelV4Prompt } from '@ai-sdk/provider';

/** What was said so far, as text alone. */
export interface Turns {
  /** The visitor's last words. */
  question: string;
  /** All that the visitor has said, the latest first, the question included. */
  visitor: string[];
  /** What the assistant said last; empty where it has said nothing. */
  answered: string;
}

/** UTF-16 units that are read of one message, and messages. */
const textMax = 2_048;
const messagesMax = 40;

/** Reads the conversation off a prompt; instructions and tools are left out. */
export function turnsOf(prompt: LanguageModelV4Prompt): Turns {
  const turns = prompt
    .slice(-messagesMax)
    .flatMap((message) => (message.role === 'user' || message.role === 'assistant' ? [textOf(message)] : []));
  const visitor = turns.filter(({ role }) => role === 'user').map(({ text }) => text);
  return {
    question: visitor.at(-1) ?? '',
    visitor: visitor.toReversed(),
    answered: turns.findLast(({ role }) => role === 'assistant')?.text ?? '',
  };
}

type Spoken = Extract<LanguageModelV4Prompt[number], { role: 'user' | 'assistant' }>;

function textOf({ role, content }: Spoken): { role: Spoken['role']; text: string } {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return { role, text: text.slice(0, textMax).toWellFormed().trim() };
}
