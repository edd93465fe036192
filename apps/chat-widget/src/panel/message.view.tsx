import { useMemo } from 'preact/hooks';
import type { Message } from '../chat/message.ts';
import { DemoCard, type DemoCardProps } from '../demo/demo.card.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { SourceList } from './source-list.tsx';

interface MessageViewProps {
  message: Message;
  demo: Omit<DemoCardProps, 'message'>;
}

/** One turn. It is drawn anew only when its message is another one. */
export function MessageView({ message, demo }: MessageViewProps) {
  return useMemo(
    () => (message.role === 'user' ? <Question text={message.text} /> : <Answer message={message} demo={demo} />),
    [message],
  );
}

function Question({ text }: { text: string }) {
  return (
    <li class="question" part="question">
      <span class="unseen">You: </span>
      <p dir="auto">{text}</p>
    </li>
  );
}

/** Below an answer that a limit of length ended. */
export const limitText = 'This answer reached its length limit.';
const endings = { open: '', done: '', stopped: 'You stopped this answer.', cut: 'The rest of this answer is missing.' };

/** Why an answer is not whole, in words for the visitor; empty where it is, or is still being written. */
const endingOf = ({ state, isAtLimit }: Message): string =>
  state === 'done' && isAtLimit ? limitText : endings[state];

function Answer({ message, demo }: MessageViewProps) {
  const { text, sources, state } = message;
  const isOpen = state === 'open';
  const ending = endingOf(message);
  return (
    <li class={`answer ${state}`}>
      <span class="unseen">Assistant: </span>
      {text === '' && isOpen ? <Thinking /> : <Markdown text={text} sources={sources} isOpen={isOpen} />}
      {ending && <p class="ending">{ending}</p>}
      {!isOpen && <SourceList sources={sources} />}
      {!isOpen && message.demo && <DemoCard message={message} {...demo} />}
    </li>
  );
}

function Thinking() {
  return (
    <p class="thinking" aria-hidden="true">
      <i />
      <i />
      <i />
    </p>
  );
}
