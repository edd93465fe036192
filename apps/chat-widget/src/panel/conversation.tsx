import type { RefObject } from 'preact';
import type { Chat } from '../chat/chat.ts';
import type { Message } from '../chat/message.ts';
import { useBottom } from './use-bottom.ts';
import { icons } from './icons.tsx';
import { type MessageActions, MessageView } from './message.view.tsx';
import { Notice } from './notice.tsx';
import type { WidgetSettings } from './settings.ts';
import { Welcome } from './welcome.tsx';

interface ConversationProps {
  chat: Chat;
  settings: WidgetSettings;
  scroller: RefObject<HTMLDivElement | null>;
  actions: MessageActions;
  onAsk: (question: string) => void;
  onRetry: () => void;
}

/** Shows the conversation. Keeps it scrolled to its end unless the reader has scrolled up. */
export function Conversation({ chat, settings, scroller, actions, onAsk, onRetry }: ConversationProps) {
  const { messages, failure, isAnswering } = chat;
  const turn = messages.findLast(({ role, isOwn }) => role === 'user' || isOwn)?.id;
  const last = messages.at(-1);
  const form = last?.demo?.state === 'open' && !isAnswering ? last.id : undefined;
  const { isAtBottom, onScroll, jump } = useBottom(scroller, turn, form);
  return (
    <div class="conversation">
      <div class="scroller" part="conversation" ref={scroller} onScroll={onScroll} {...scrollerNames}>
        {messages.length === 0 && <Welcome settings={settings} onAsk={onAsk} />}
        <ol class="messages" aria-busy={isAnswering}>
          {numbered(messages).map(({ message, answer }) => (
            <MessageView key={message.id} {...{ message, answer, actions }} isLast={message === last} />
          ))}
        </ol>
        {failure && <Notice failure={failure} onRetry={onRetry} />}
      </div>
      {!isAtBottom && !form && (
        <button type="button" class="jump" aria-label="Jump to the latest" onClick={jump}>
          {icons.down}
        </button>
      )}
    </div>
  );
}

/** Returns each message with the number of answers up to it. */
function numbered(messages: readonly Message[]): { message: Message; answer: number }[] {
  let answer = 0;
  return messages.map((message) => ({ message, answer: message.role === 'user' ? answer : ++answer }));
}

/** Attributes that make the conversation scrollable by keyboard, and give it a name for screen readers. */
const scrollerNames = { tabIndex: 0, role: 'region', 'aria-label': 'Conversation' } as const;
