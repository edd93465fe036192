import type { UIMessage } from 'ai';
import { Contact, contactTitle } from './contact.tsx';
import { DemoForm } from './demo-form.tsx';
import type { Gateway } from './gateway.ts';
import { Votes } from './votes.tsx';

/**
 * A message of the SDK with the only part that is specific to Relata: the reason why the visitor may want to talk to a
 * person.
 */
export type ChatMessage = UIMessage<unknown, { contact: { reason: 'unanswered' | 'person' } }>;

interface MessageProps {
  message: ChatMessage;
  gateway: Gateway;
  /** True while the answer is still being written. */
  isOpen: boolean;
}

export function Message({ message: { id, role, parts }, gateway, isOpen }: MessageProps) {
  const sources = parts.filter((part) => part.type === 'source-url');
  const reason = parts.find((part) => part.type === 'data-contact')?.data.reason;
  const hasForm = parts.some(({ type }) => type === 'tool-offer_demo');
  return (
    <article data-role={role}>
      {parts.map((part, at) => {
        // The text is Markdown and is shown unrendered. Render it with a library of your choice, without raw HTML.
        if (part.type === 'text')
          return (
            <p key={at} style={{ whiteSpace: 'pre-wrap' }}>
              {part.text}
            </p>
          );
        // The model offers the form; the visitor sends it.
        if (part.type === 'tool-offer_demo' && part.state === 'input-available') {
          const title = reason === 'person' ? contactTitle : 'Book a demo';
          const offered = part.input as Record<string, string>;
          return <DemoForm key={part.toolCallId} {...{ gateway, title, offered }} />;
        }
        return null;
      })}
      {sources.length > 0 && (
        <ul aria-label="Sources">
          {sources.map(({ sourceId, url, title }) => (
            <li key={sourceId}>
              <a href={url}>
                [{sourceId}] {title}
              </a>
            </li>
          ))}
        </ul>
      )}
      {reason === 'unanswered' && !isOpen && <Contact gateway={gateway} />}
      {role === 'assistant' && !isOpen && !hasForm && <Votes gateway={gateway} answerId={id} />}
    </article>
  );
}
