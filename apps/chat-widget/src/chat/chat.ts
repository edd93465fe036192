import type { AnswerPart } from '../stream/answer-part.ts';
import { chatRequest } from './chat-request.ts';
import { formMessages, withEmptyForm, withOneForm, withSettledForm } from './demo-messages.ts';
import { ChatError, type Failure } from './failure.ts';
import { askGateway, type Gateway, sendVote } from './gateway-client.ts';
import { type History, type HistoryStorage, loadHistory, saveHistory } from './history.ts';
import { createId, createMessage, type DemoOffer, type Message, questionCharsMax, type Vote } from './message.ts';
import { storableText } from './storable-text.ts';
import { withPart } from './message-parts.ts';

/** Called with a complete answer. */
export type OnAnswer = (message: Message) => void;

/** Returns the name under which the tab stores the conversation with a gateway and key. */
export const chatName = ({ api, key }: Gateway): string => `relata-chat ${api} ${key}`;

/** A conversation with one gateway and key: its messages, a pending answer, and the failure of the last answer. */
export class Chat {
  /** Functions that are called when visible data has changed. */
  readonly listeners = new Set<() => void>();
  readonly gateway: Gateway;
  readonly #storage: HistoryStorage | undefined;
  #history: History = { sessionId: createId(), messages: [] };
  #asking: AbortController | undefined;
  failure: Failure | undefined;

  constructor(gateway: Gateway, storage: HistoryStorage | undefined) {
    this.gateway = gateway;
    this.#storage = storage;
  }

  get name(): string {
    return chatName(this.gateway);
  }

  get messages(): readonly Message[] {
    return this.#history.messages;
  }

  get isAnswering(): boolean {
    return this.#asking !== undefined;
  }

  /**
   * Asks a question. Returns false if it is empty, an answer is still arriving, or a rate limit still requires a wait.
   */
  ask(question: string, onAnswer: OnAnswer): boolean {
    const text = storableText(question.trim(), questionCharsMax);
    if (text === '' || this.isAnswering || this.#isWaiting()) return false;
    this.#keep([...this.messages, createMessage('user', text)]);
    void this.#answer(onAnswer);
    return true;
  }

  /** Asks the last question again. The new answer replaces the part that has arrived, except for forms. */
  retry(onAnswer: OnAnswer): void {
    const last = this.messages.findLastIndex(({ role }) => role === 'user');
    if (last === -1 || this.isAnswering || this.#isWaiting()) return;
    this.#keep([...this.messages.slice(0, last + 1), ...formMessages(this.messages.slice(last + 1))]);
    void this.#answer(onAnswer);
  }

  /** Ends the current answer; its text so far stays. */
  stop(): void {
    this.#asking?.abort();
  }

  restart(): void {
    this.stop();
    this.#asking = undefined;
    this.failure = undefined;
    this.#history = { sessionId: createId(), messages: [] };
    this.#keep([]);
  }

  /** Shows an empty form at the end of the conversation, unless a form is open or an answer is arriving. */
  offerForm(form: 'demo' | 'contact'): void {
    if (!this.isAnswering && !this.messages.some(({ demo }) => demo?.state === 'open'))
      this.#keep(withEmptyForm(this.messages, form));
  }

  /** Stores and sends the visitor's vote on an answer, if it is the first. */
  vote(id: string, vote: Vote): void {
    if (this.messages.find((message) => message.id === id)?.vote) return;
    this.#keep(this.messages.map((message) => (message.id === id ? { ...message, vote } : message)));
    void sendVote(this.gateway, id, vote);
  }

  settleDemo(id: string, state: DemoOffer['state']): void {
    this.#keep(withSettledForm(this.messages, id, state));
  }

  /** Loads the stored conversation, unless an answer is arriving. Without storage nothing changes. */
  load(): void {
    if (this.isAnswering || !this.#storage) return;
    this.#history = loadHistory(this.#storage, this.name);
    this.failure = endOf(this.messages);
    this.#tell();
  }

  #isWaiting(): boolean {
    return this.failure?.kind === 'wait' && this.failure.until > Date.now();
  }

  #keep(messages: readonly Message[]): void {
    this.#show(messages);
    saveHistory(this.#storage, this.name, this.#history);
  }

  #show(messages: readonly Message[]): void {
    this.#history = { ...this.#history, messages };
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.listeners) listener();
  }

  async #answer(onAnswer: OnAnswer): Promise<void> {
    const asking = new AbortController();
    const body = chatRequest(this.#history.sessionId, this.messages);
    const open = createMessage('assistant', '', { state: 'open' });
    this.#asking = asking;
    this.failure = undefined;
    this.#show([...this.messages, open]);
    const failure = await this.#read(askGateway(this.gateway, body, asking.signal), asking);
    // The visitor has started a new conversation in the meantime, so this answer is dropped.
    if (this.#asking !== asking) return;
    this.#asking = undefined;
    this.failure = failure;
    this.#finish(asking.signal.aborted, onAnswer);
  }

  async #read(parts: AsyncIterable<AnswerPart>, asking: AbortController): Promise<Failure | undefined> {
    try {
      for await (const part of parts) {
        if (this.#asking !== asking) return undefined;
        this.#show([...this.messages.slice(0, -1), withPart(this.messages.at(-1)!, part)]);
      }
      return undefined;
    } catch (error) {
      return error instanceof ChatError ? error.failure : { kind: 'answer' };
    }
  }

  /** Closes the open message. Removes it if it is empty and the visitor has not stopped it. */
  #finish(isStopped: boolean, onAnswer: OnAnswer): void {
    const { messages, failure } = this;
    const state = isStopped ? 'stopped' : failure ? 'cut' : 'done';
    const answer: Message = { ...messages.at(-1)!, state };
    const isEmpty = answer.text === '' && !answer.demo;
    if (isEmpty && !failure && !isStopped) this.failure = { kind: 'answer' };
    this.#keep(isEmpty && !isStopped ? messages.slice(0, -1) : withOneForm([...messages.slice(0, -1), answer]));
    if (state === 'done' && !isEmpty) onAnswer(answer);
  }
}

/** Returns a failure if the page was left before the last answer was complete. */
function endOf(messages: readonly Message[]): Failure | undefined {
  const spoken = messages.findLast(({ isOwn }) => !isOwn);
  return spoken?.role === 'user' || messages.at(-1)?.state === 'cut' ? { kind: 'cut' } : undefined;
}
