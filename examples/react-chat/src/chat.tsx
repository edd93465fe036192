import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { type FormEvent, useMemo, useState } from 'react';
import { type Gateway, gatewayHeaders, waitOf } from './gateway.ts';
import { type ChatMessage, Message } from './message.tsx';

/** Maximum number of messages in a request. */
const messagesMax = 40;

/**
 * Shows a chat that uses Relata's endpoint, which is compatible with `useChat`. Only the address, the key and the
 * session id are specific to Relata.
 */
export function Chat({ gateway }: { gateway: Gateway }) {
  const transport = useMemo(
    () =>
      new DefaultChatTransport({
        api: `${gateway.url}/v1/genie/chat`,
        headers: gatewayHeaders(gateway),
        body: { session_id: crypto.randomUUID() },
        // Sends the transport's default request, but only the newest messages of a long conversation.
        prepareSendMessagesRequest: ({ body, id, messages, trigger, messageId }) => ({
          body: { ...body, id, messages: messages.slice(-messagesMax), trigger, messageId },
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

interface ComposerProps {
  isBusy: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
}

function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('');
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || text.trim() === '') return;
    onSend(text);
    setText('');
  };
  return (
    <form onSubmit={send}>
      <label>
        Your question <input value={text} onChange={(event) => setText(event.target.value)} />
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
 */
function sentenceFor({ message }: Error): string {
  const seconds = waitOf(message);
  if (seconds !== undefined) return `Too many questions. Try again in ${seconds} s.`;
  return message.startsWith('{') ? 'That did not work.' : message;
}
