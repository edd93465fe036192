import { useMemo } from 'preact/hooks';
import type { Message } from '../chat/message.ts';
import { DemoCard, type DemoCardProps } from '../demo/demo-card.tsx';
import { citationNumbers } from '../markdown/citation-numbers.ts';
import { lexMarkdown } from '../markdown/markdown-lexer.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { icons } from './icons.tsx';
import { SourceList } from './source-list.tsx';
import { Votes } from './votes.tsx';

export interface MessageActions extends Omit<DemoCardProps, 'message'> {
  /** Shows the form with which a visitor asks the team to get in touch. */
  onContact: () => void;
}

interface MessageViewProps {
  message: Message;
  /** Number of an answer, from 1; for a question, the number of answers before it. */
  answer: number;
  isLast: boolean;
  actions: MessageActions;
}

/** Shows a turn. Renders again only if `message` is a different object, or `answer` or `isLast` has changed. */
export function MessageView(props: MessageViewProps) {
  const { message, answer, isLast } = props;
  return useMemo(
    () => (message.role === 'user' ? <QuestionView text={message.text} /> : <AnswerView {...props} />),
    [message, answer, isLast],
  );
}

function QuestionView({ text }: { text: string }) {
  return (
    <li class="question" part="question">
      <span class="unseen">You: </span>
      <p dir="auto">{text}</p>
    </li>
  );
}

/** Text below an answer that a length limit ended. */
export const limitText = 'This answer reached its length limit.';
const endings = { open: '', done: '', stopped: 'You stopped this answer.', cut: 'The rest of this answer is missing.' };

/** Returns the reason why an answer is incomplete; empty if it is complete, or still being written. */
const endingOf = ({ state, isAtLimit }: Message): string =>
  state === 'done' && isAtLimit ? limitText : endings[state];

function AnswerView({ message, answer, isLast, actions }: MessageViewProps) {
  const { text, sources, state, demo, contact } = message;
  const isOpen = state === 'open';
  const ending = endingOf(message);
  const { tokens, citations } = useAnswerText(message);
  return (
    <li class={`answer ${state}`}>
      <span class="unseen">Assistant: </span>
      {text === '' && isOpen ? <Thinking /> : <Markdown {...{ tokens, citations, answer }} />}
      {ending && <p class="ending">{ending}</p>}
      {!isOpen && <SourceList {...{ sources, answer }} numbers={citations.numbers} />}
      {state === 'done' && isLast && contact === 'unanswered' && <ContactButton onClick={actions.onContact} />}
      {canVote(message) && <Votes vote={message.vote} onVote={(vote) => actions.chat.vote(message.id, vote)} />}
      {!isOpen && demo && <DemoCard message={message} {...actions} />}
    </li>
  );
}

/** Returns true for a complete answer without a form. */
const canVote = ({ state, text, isOwn, demo }: Message) => state === 'done' && text !== '' && !isOwn && !demo;

function ContactButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" class="contact" part="contact-button" onClick={onClick}>
      {icons.chat}
      Talk to us
    </button>
  );
}

/** Returns the parsed text of an answer. `citations` stays the same object until its sources or numbers change. */
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
