import { createMessage, type DemoOffer, type Message } from './message.ts';

/** Returns the conversation with an empty form at its end: for a demo, or for the team to get in touch. */
export function withEmptyForm(messages: readonly Message[], form: 'demo' | 'contact'): Message[] {
  const said = createMessage('assistant', 'Tell us how to reach you, and the team will get in touch.', {
    isOwn: true,
    demo: { input: {}, state: 'open' },
    ...(form === 'contact' && { contact: 'person' }),
  });
  return [...messages, said];
}

/** Returns the messages that have an open or sent form, marked so that they are not sent to the gateway. */
export function formMessages(messages: readonly Message[]): Message[] {
  return messages.filter(({ demo }) => demo && demo.state !== 'closed').map((message) => ({ ...message, isOwn: true }));
}

export function withSettledForm(messages: readonly Message[], id: string, state: DemoOffer['state']): Message[] {
  return messages.map((message) => (message.id === id ? withFormState(message, state) : message));
}

/** Closes all forms but the last one, because with two open forms a visitor could send the same request twice. */
export function withOneForm(messages: readonly Message[]): Message[] {
  const last = messages.findLast(({ demo }) => demo?.state === 'open');
  return messages.map((message) =>
    message.demo?.state === 'open' && message !== last ? withFormState(message, 'closed') : message,
  );
}

function withFormState(message: Message, state: DemoOffer['state']): Message {
  return message.demo ? { ...message, demo: { ...message.demo, state } } : message;
}
