import type { RefObject, TargetedEvent, TargetedKeyboardEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { Chat } from '../chat/chat.ts';
import { questionCharsMax } from '../chat/message.ts';
import { useSecondsUntil } from './use-countdown.ts';
import { icons } from './icons.tsx';

interface ComposerProps {
  chat: Chat;
  /** Returns false if the question is not asked, and must stay in the input. */
  onAsk: (question: string) => boolean;
  placeholder: string;
  input: RefObject<HTMLTextAreaElement | null>;
}

/**
 * Shows the input for a question. Enter sends, and Shift+Enter starts a new line. An Enter that ends the composition of
 * an input method sends nothing.
 */
export function Composer({ chat, onAsk, placeholder, input }: ComposerProps) {
  const [text, setText] = useState('');
  const { isAnswering, failure } = chat;
  const seconds = useSecondsUntil(failure?.kind === 'wait' ? failure.until : 0);
  const canSend = text.trim() !== '' && seconds === 0;
  const send = () => {
    if (onAsk(text)) setText('');
  };
  const submit = (event: TargetedEvent) => {
    event.preventDefault();
    if (isAnswering) chat.stop();
    else send();
    input.current?.focus();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    // Safari reports the end of a composition before the key that ended it. Only the key code 229 identifies such a
    // key.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    send();
  };
  return (
    <form class="composer" part="composer" onSubmit={submit}>
      <div class="grow" data-text={`${text}\n`}>
        <textarea
          ref={input}
          rows={1}
          value={text}
          maxLength={questionCharsMax}
          placeholder={placeholder}
          aria-label="Your question"
          enterkeyhint="send"
          // An empty field uses the text direction of the page, like its placeholder.
          dir={text === '' ? undefined : 'auto'}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <button
        type="submit"
        class="send"
        part="send"
        aria-label={isAnswering ? 'Stop the answer' : 'Send'}
        aria-disabled={!isAnswering && !canSend}
      >
        {isAnswering ? icons.stop : icons.send}
      </button>
    </form>
  );
}
