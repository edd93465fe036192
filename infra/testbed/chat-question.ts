export const chatPath = '/v1/genie/chat';

/** Returns the body that the SDK's transport sends for the first question of a conversation. */
export function questionBody(question: string): object {
  const message = { id: 'msg-Zk3vQ8xN1pR5tY7w', role: 'user', parts: [{ type: 'text', text: question }] };
  return { id: 'chat-J4hG6fD8sA2qW5eR', messages: [message], trigger: 'submit-message' };
}
