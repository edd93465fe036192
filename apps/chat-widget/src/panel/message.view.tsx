import { useMemo } from 'preact/hooks';
import type { Message } from '../chat/message.ts';
import { DemoCard, type DemoCardProps } from '../demo/demo.card.tsx';
import { citationNumbers } from '../markdown/citation-numbers.ts';
import { lexMarkdown } from '../markdown/markdown.lexer.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { SourceList } from './source-list.tsx';

interface MessageViewProps {
  message: Message;
  /** Which answer of the conversation it is, or comes after, from 1. */
  answer: number;
  demo: Omit<DemoCardProps, 'message'>;
}

/** One turn. It is drawn anew only when its message is another one. */
export function MessageView(props: MessageViewProps) {
  const { message, answer } = props;
  return useMemo(
    () => (message.role === 'user' ? <Question text={message.text} /> : <Answer {...props} />),
    [message, answer],
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

function Answer({ message, answer, demo }: MessageViewProps) {
  const { text, sources, state } = message;
  const isOpen = state === 'open';
  const ending = endingOf(message);
  const { tokens, citations } = useAnswerText(message);
  return (
    <li class={`answer ${state}`}>
      <span class="unseen">Assistant: </span>
      {text === '' && isOpen ? <Thinking /> : <Markdown {...{ tokens, citations, answer }} />}
      {ending && <p class="ending">{ending}</p>}
      {!isOpen && <SourceList {...{ sources, answer }} numbers={citations.numbers} />}
      {!isOpen && message.demo && <DemoCard message={message} {...demo} />}
    </li>
  );
}

/** What an answer's text is made of. What its marks mean stays the same object until another source is cited. */
function useAnswerText({ text, sources, state }: Message) {
  const isOpen = state === 'open';
  const tokens = useMemo(() => lexMarkdown(text), [text]);
  const numbers = citationNumbers(tokens, sources, isOpen);
  const citations = useMemo(() => ({ sources, numbers, isOpen }), [sources, isOpen, [...numbers.keys()].join()]);
  return { tokens, citations };
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
