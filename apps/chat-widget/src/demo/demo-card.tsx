import { useEffect, useRef } from 'preact/hooks';
import type { Chat } from '../chat/chat.ts';
import type { Message } from '../chat/message.ts';
import { icons } from '../panel/icons.tsx';
import { DemoForm } from './demo-form.tsx';

export interface DemoCardProps {
  message: Message;
  chat: Chat;
  /** Called when the request has reached the service; `isForwarded` is true if the team was notified at once. */
  onSent: (isForwarded: boolean) => void;
}

const thanks = {
  sent: 'Your request is with the team. They will write to you soon.',
  kept: 'We have saved your request and will pass it on to the team. There is no need to send it again.',
};

/** Shows the demo form of a message, or its outcome. */
export function DemoCard({ message, chat, onSent }: DemoCardProps) {
  const { state, input } = message.demo!;
  const isSettledHere = useRef(false);
  if (state === 'closed') return null;
  if (state !== 'open') return <Thanks text={thanks[state]} takesFocus={isSettledHere.current} />;
  const settle = (outcome: 'sent' | 'kept') => {
    isSettledHere.current = true;
    chat.settleDemo(message.id, outcome);
    onSent(outcome === 'sent');
  };
  const form = message.contact ? 'contact' : 'demo';
  return <DemoForm {...{ form, input }} gateway={chat.gateway} onSettled={settle} />;
}

/**
 * Thanks the visitor. Takes the focus after a submit, because the pressed button has disappeared, but not after a
 * reload.
 */
function Thanks({ text, takesFocus }: { text: string; takesFocus: boolean }) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) card.current?.focus();
  }, []);
  return (
    <div class="card thanks" part="demo-thanks" role="status" tabIndex={-1} ref={card}>
      <span class="tick">{icons.check}</span>
      <p>
        <strong>Thank you!</strong>
        <br />
        {text}
      </p>
    </div>
  );
}
