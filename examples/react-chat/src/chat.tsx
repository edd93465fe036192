import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { type FormEvent, useMemo, useState } from 'react';
import { failedText, type Gateway, gatewayHeaders, storableText, waitOf } from './gateway.ts';
import { type ChatMessage, Message } from './message.tsx';

/** The gateway's limits of a request: messages, and characters in all of them together. */
const limits = { messages: 40, chars: 100_000 };

/** Maximum length of a question, so that every question fits into a request. */
const questionCharsMax = 4_000;

/**
 * Shows a chat that uses Relata's endpoint, which is compatible with `useChat`. Only the address, the key and the limits
 * are specific to Relata.
 */
export function Chat({ gateway }: { gateway: Gateway }) {
  const transport = useMemo(
    () =>
      new DefaultChatTransport({
        api: `${gateway.url}/v1/genie/chat`,
        headers: gatewayHeaders(gateway),
        // Sends the transport's default request, but only the newest messages of a long conversation.
        prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
          body: { id, messages: newestThatFit(messages), trigger, messageId },
        }),
      }),
    [gateway],
  );
  const { messages, sendMessage, regenerate, status, stop, error } = useChat<ChatMessage>({ transport });
  const isBusy = status === 'submitted' || status === 'streaming';
  return (
    <main>
      <h1>Ask us</h1>
      <section aria-label="Conversation" aria-live="polite" aria-busy={isBusy}>
        {messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            gateway={gateway}
            isOpen={isBusy && message === messages.at(-1)}
          />
        ))}
      </section>
      {error && (
        <p role="alert">
          {sentenceFor(error)} <button onClick={() => void regenerate()}>Try again</button>
        </p>
      )}
      <Composer isBusy={isBusy} onSend={(text) => void sendMessage({ text })} onStop={() => void stop()} />
    </main>
  );
}

/**
 * Returns the newest messages that fit into a request. Measures their JSON, which is never shorter than the texts that
 * the gateway counts.
 */
function newestThatFit(messages: readonly UIMessage[]): UIMessage[] {
  const newest = messages.slice(-limits.messages);
  while (JSON.stringify(newest).length > limits.chars) newest.shift();
  return newest;
}

interface ComposerProps {
  isBusy: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
}

function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('');
  const send = (event: FormEvent) => {
    event.preventDefault();
    // The whole conversation is sent each time, so one refused question would also fail all later ones.
    const question = storableText(text);
    if (isBusy || question.trim() === '') return;
    onSend(question);
    setText('');
  };
  return (
    <form onSubmit={send}>
      <label>
        Your question{' '}
        <input value={text} maxLength={questionCharsMax} onChange={(event) => setText(event.target.value)} />
      </label>
      {isBusy ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit">Send</button>
      )}
    </form>
  );
}

/**
 * Returns the text for an error. If a request was refused, the message of the SDK's error is the body of the response.
 * Only the gateway's text in a stream is for visitors: the SDK throws it as a plain `Error`.
 */
function sentenceFor({ name, message }: Error): string {
  const seconds = waitOf(message);
  if (seconds !== undefined) return `Too many questions. Try again in ${seconds} s.`;
  return name === 'Error' ? message : failedText;
}
