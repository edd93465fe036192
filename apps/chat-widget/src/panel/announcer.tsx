import { useMemo, useRef } from 'preact/hooks';
import type { Chat } from '../chat/chat.ts';
import type { Message } from '../chat/message.ts';
import { plainText } from '../markdown/plain-text.ts';
import { limitText } from './message.view.tsx';

/**
 * Announces to screen readers that an answer has begun, and its text once it has ended. Messages from before a reload
 * are not announced.
 */
export function Announcer({ chat }: { chat: Chat }) {
  const last = chat.messages.at(-1);
  const before = useRef(last);
  const isNew = last !== undefined && last !== before.current;
  const text = useMemo(() => (isNew ? announcement(last) : ''), [last?.id, last?.state]);
  return (
    <div class="unseen" role="log" aria-live="polite" aria-label="Answers">
      {text && <p key={text}>{text}</p>}
    </div>
  );
}

function announcement({ role, state, text, demo, isAtLimit, contact }: Message): string {
  if (role === 'user') return '';
  if (state === 'open') return 'Answering.';
  const end = { done: isAtLimit ? ` ${limitText}` : '', stopped: ' The answer was stopped.', cut: '' }[state];
  const form = contact ? ' A form to talk to us follows.' : ' A form to book a demo follows.';
  return `${plainText(text)}${end}${demo?.state === 'open' ? form : ''}`;
}
