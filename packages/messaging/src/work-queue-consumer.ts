import { type Consumer, type ConsumerMessages, jetstream, type JetStreamManager, type JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { WorkQueue } from './work-queue.ts';
import { consumerConfig, openManager, requestTimeoutMs, streamConfig } from './work-queue-config.ts';

/** Takes messages off a work queue one by one; creates the stream and its consumer if they are missing. */
export class WorkQueueConsumer {
  readonly #connection: NatsConnection;
  readonly #queue: WorkQueue<unknown>;
  readonly #replicas: number;
  #consumer: Consumer | undefined;

  constructor(connection: NatsConnection, queue: WorkQueue<unknown>, replicas: number) {
    this.#connection = connection;
    this.#queue = queue;
    this.#replicas = replicas;
  }

  /**
   * Acknowledges and returns the next message; undefined if none arrived within `waitMs`, or before the signal was
   * aborted. `waitMs` must be at least 1,000.
   */
  async next(waitMs: number, signal: AbortSignal): Promise<JsMsg | undefined> {
    try {
      this.#consumer ??= await this.#open();
      // `bind` skips the look-up of the consumer. If the consumer no longer exists, nothing arrives or an error is
      // thrown.
      const messages = await this.#consumer.fetch({ max_messages: 1, expires: waitMs, bind: true });
      const message = await firstOf(messages, signal);
      if (!message) this.#consumer = undefined;
      message?.ack();
      return message;
    } catch (error) {
      this.#consumer = undefined;
      throw error;
    }
  }

  async #open(): Promise<Consumer> {
    const { stream, consumer } = this.#queue;
    const manager = await openManager(this.#connection);
    await this.#ensure(manager);
    return jetstream(this.#connection, { timeout: requestTimeoutMs }).consumers.get(stream, consumer);
  }

  /**
   * Creates the stream and the consumer if they are missing, but never updates them: applying a configuration again
   * once lost messages of other workers.
   */
  async #ensure(manager: JetStreamManager): Promise<void> {
    const { stream, consumer } = this.#queue;
    const isMissing = () => true;
    if (await manager.streams.info(stream).then(() => false, isMissing))
      await manager.streams.add(streamConfig(this.#queue, this.#replicas));
    if (await manager.consumers.info(stream, consumer).then(() => false, isMissing))
      await manager.consumers.add(stream, consumerConfig(this.#queue));
  }
}

async function firstOf(messages: ConsumerMessages, signal: AbortSignal): Promise<JsMsg | undefined> {
  const stop = () => messages.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    for await (const message of messages) return message;
    return undefined;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
