import { Chat, chatName } from './chat.ts';
import type { Gateway } from './gateway-client.ts';
import { tabStorage } from './history.ts';

/** Conversations of this page, by name. With a copy of its own, each element would overwrite what others have stored. */
const chats = new Map<string, Chat>();

/** Returns the conversation of the page with a gateway and key. Calls the listener when it has changed. */
export function joinChat(gateway: Gateway, listener: () => void): Chat {
  const name = chatName(gateway);
  const chat = chats.get(name) ?? new Chat(gateway, tabStorage());
  chats.set(name, chat);
  // The page may have cleared the storage since the last element has left, for example when somebody signed out.
  if (chat.listeners.size === 0) chat.load();
  chat.listeners.add(listener);
  return chat;
}

/** Removes a listener. Without any other listener, an answer that is arriving is stopped. */
export function leaveChat(chat: Chat, listener: () => void): void {
  chat.listeners.delete(listener);
  if (chat.listeners.size === 0) chat.stop();
}

// The browser shows a page as it was left, although the conversation may have continued on other pages of the tab.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) for (const chat of chats.values()) chat.load();
});
