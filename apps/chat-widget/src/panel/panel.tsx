import type { RefObject } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Chat, OnAnswer } from '../chat/chat.ts';
import { Announcer } from './announcer.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { Header } from './header.tsx';
import type { WidgetSettings } from './settings.ts';

export interface PanelProps {
  chat: Chat;
  settings: WidgetSettings;
  input: RefObject<HTMLTextAreaElement | null>;
  onClose?: () => void;
  /** Called with the answer to a question that was asked in this panel. */
  onAnswer: OnAnswer;
  /** Called when a demo request has reached the service; `isForwarded` is true if the team was notified at once. */
  onDemoSent: (isForwarded: boolean) => void;
}

/**
 * Shows header, conversation and composer, in a dialog or as part of a page. When `chat` is replaced, only the unsent
 * text in the composer stays.
 */
export function Panel({ chat, settings, input, onClose, onAnswer, onDemoSent }: PanelProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const actions = useMemo(
    () => ({ chat, onSent: onDemoSent, onContact: () => showForm(chat, scroller, 'contact') }),
    [chat],
  );
  /**
   * Moves the focus back to the input. On a touch screen, moves the focus to the conversation instead, because a touch
   * keyboard would cover the new answer.
   */
  const goOn = () => (matchMedia('(pointer: coarse)').matches ? scroller : input).current?.focus();
  const restart = () => {
    chat.restart();
    goOn();
  };
  const ask = (question: string) => chat.ask(question, onAnswer);
  const askSuggestion = (question: string) => {
    ask(question);
    goOn();
  };
  const retry = () => {
    chat.retry(onAnswer);
    goOn();
  };
  return (
    <>
      <Header
        name={settings.name}
        hasMessages={chat.messages.length > 0}
        isAnswering={chat.isAnswering}
        onDemo={() => showForm(chat, scroller, 'demo')}
        onRestart={restart}
        onClose={onClose}
      />
      <Conversation key={chat.name} {...{ chat, settings, scroller, actions }} onAsk={askSuggestion} onRetry={retry} />
      <Composer chat={chat} onAsk={ask} placeholder={settings.placeholder} input={input} />
      <Announcer key={chat.name} chat={chat} />
    </>
  );
}

/** Opens a form, or finds the open one, and focuses its first empty field that is not folded. */
function showForm(chat: Chat, scroller: RefObject<HTMLElement | null>, form: 'demo' | 'contact'): void {
  chat.offerForm(form);
  requestAnimationFrame(() => {
    const shown = 'form :is(input, textarea):not(details:not([open]) *)';
    const fields = [...(scroller.current?.querySelectorAll<HTMLInputElement>(shown) ?? [])];
    const field = fields.find(({ value }) => value === '') ?? fields[0];
    field?.focus({ preventScroll: true });
    field?.closest('form')?.scrollIntoView({ block: 'nearest' });
  });
}
