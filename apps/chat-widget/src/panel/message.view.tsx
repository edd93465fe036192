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

const endings = { open: '', done: '', stopped: 'You stopped this answer.', cut: 'The rest of this answer is missing.' };

function Answer({ message, demo }: MessageViewProps) {
  const { text, sources, state } = message;
  const isOpen = state === 'open';
  return (
    <li class={`answer ${state}`}>
      <span class="unseen">Assistant: </span>
      {text === '' && isOpen ? <Thinking /> : <Markdown text={text} sources={sources} isOpen={isOpen} />}
      {endings[state] && <p class="ending">{endings[state]}</p>}
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
