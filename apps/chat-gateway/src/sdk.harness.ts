import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';

export interface SdkQuestion {
  url: string;
  key: string;
  /** The visitor's messages, alternating with the earlier answers. */
  texts: readonly string[];
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

export interface SdkAnswer {
  message: UIMessage | undefined;
  /** The errors that the SDK reports to the page. */
  errors: string[];
}

/** Asks a question as a page with the SDK does, with its default transport and reader. */
export async function askWithSdk({ url, key, texts, signal, headers }: SdkQuestion): Promise<SdkAnswer> {
  const transport = new DefaultChatTransport({
    api: `${url}/v1/genie/chat`,
    headers: { 'X-Api-Key': key, ...headers },
    body: { session_id: 'visitor-1' },
  });
  const messages = texts.map((text, at): UIMessage => ({
    id: `m${at}`,
    role: at % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', text }],
  }));
  const request = { chatId: 'chat-1', messages, trigger: 'submit-message', messageId: undefined } as const;
  const stream = await transport.sendMessages({ ...request, abortSignal: signal });
  const errors: string[] = [];
  const onError = (error: unknown) => void errors.push(error instanceof Error ? error.message : String(error));
  let message: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream, onError, terminateOnError: false })) message = state;
  return { message, errors };
}

/** Returns all the text of a message. */
export function textOfMessage(message: UIMessage | undefined): string {
  return (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}
