import { setTimeout as pause } from 'node:timers/promises';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { jittered, type Log } from '@relata/runtime';
import { readTraceparent, type SpanOptions, tracing } from '@relata/telemetry';
import type { Broadcast } from './broadcast.ts';
import { readAddresses } from './server-address.ts';
import { insistingOnTls } from './server-identity.ts';
import type { WorkQueue } from './work-queue.ts';
import { WorkQueueConsumer } from './work-queue-consumer.ts';
import { readQueueState, readStorage, type StreamStorage, type WorkQueueState } from './work-queue-state.ts';

export interface MessagingOptions {
  /**
   * Servers, separated by commas, with a token or a password if they require one. With `tls://` nothing is sent to a
   * server without TLS; with `nats://` the server, or an attacker in between, decides whether TLS is used.
   */
  url: string;
  /** Name shown in the server's list of connections. */
  name: string;
  log?: Log;
  /** Prefix of subjects and streams, so that several installations can share a server; `relata` by default. */
  prefix?: string;
  /** Number of copies of each stream, at most 5 and at most the number of servers in the cluster; 1 by default. */
  streamReplicas?: number;
}

/**
 * Interval between pings. A server that stops responding while its connection stays open is abandoned after 3 to 4.5
 * seconds, when the third ping finds two unanswered. Until then a revoked key keeps working. A process that was busy
 * for longer is not affected: it reads received data before it sends the next ping.
 */
const pingIntervalMs = 1_500;
const pingsUnansweredMax = 2;

/** Approximate minimum time between the beginnings of two attempts to connect. */
const attemptEveryMs = 500;

type Subscription = { broadcast: Broadcast<unknown>; receive: (message: unknown) => void };

/**
 * The connection to NATS. It is established in the background and again whenever it breaks, so that no process waits
 * for NATS. While NATS is unavailable, nothing is received and published messages are dropped.
 */
export class Messaging implements AsyncDisposable {
  #connection: NatsConnection | undefined;
  #refusal: string | undefined;
  #nextAttemptAt = 0;
  readonly #subscriptions: Subscription[] = [];
  readonly #reconnected: (() => void)[] = [];
  readonly #consumers = new Map<string, WorkQueueConsumer>();
  readonly #closing = new AbortController();
  readonly #options: MessagingOptions;
  #connecting: Promise<void>;

  constructor(options: MessagingOptions) {
    this.#options = options;
    this.#connecting = this.#connectUntilClosed();
  }

  get isConnected(): boolean {
    return this.#open !== undefined;
  }

  get #open(): NatsConnection | undefined {
    return this.#connection?.isClosed() ? undefined : this.#connection;
  }

  /** Reason of the last failed attempt, until a connection succeeds. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /**
   * Waits for a connection; returns false if there is none after `timeoutMs`. Used by processes that publish and then
   * exit.
   */
  async connected(timeoutMs: number): Promise<boolean> {
    await Promise.race([this.#connecting, pause(timeoutMs, undefined, { ref: false })]);
    return this.isConnected;
  }

  /** Publishes to all other processes; the message is dropped while NATS is unavailable. */
  publish<Message>({ subject }: Broadcast<Message>, message: Message): void {
    if (this.isConnected) this.#send(subject, message);
  }

  /**
   * Puts a message on a work queue, without waiting for the server to confirm it. Returns false while NATS is
   * unavailable. The message may be lost, so no work may depend on it alone.
   */
  enqueue<Message>({ subject }: WorkQueue<Message>, message: Message): boolean {
    if (this.isConnected) this.#send(subject, message);
    return this.isConnected;
  }

  #send(name: string, message: unknown): void {
    const [subject, text] = [this.#subjectOf(name), JSON.stringify(message)];
    if (!tracing?.active()?.isSampled) return this.#connection?.publish(subject, text);
    tracing.span(`send ${name}`, spanOf('send', name), ({ traceparent }) => {
      const given = headers();
      given.set('traceparent', traceparent);
      this.#connection?.publish(subject, text, { headers: given });
    });
  }

  /**
   * Takes the next message off a work queue; returns undefined if none arrived in time, or if it is invalid. Throws
   * while NATS is unavailable.
   */
  async next<Message>(
    queue: WorkQueue<Message>,
    waitMs: number,
    signal: AbortSignal = this.#closing.signal,
  ): Promise<Message | undefined> {
    const message = await this.#consumerOf(this.#connected(), queue).next(waitMs, signal);
    if (!message) return undefined;
    if (tracing) noteReceived(queue.subject, message.headers?.get('traceparent'));
    const parsed = queue.schema.safeParse(readJson(message));
    if (!parsed.success) this.#options.log?.warn({ subject: queue.subject }, 'invalid message dropped');
    return parsed.data;
  }

  /**
   * Returns the storage that JetStream uses for this account. Throws while NATS is unavailable, and if the server has
   * no JetStream.
   */
  storage(): Promise<StreamStorage> {
    return readStorage(this.#connected());
  }

  /**
   * Returns the state of a work queue on the server, compared with the configuration of this process. Throws while NATS
   * is unavailable.
   */
  queueState(queue: WorkQueue<unknown>): Promise<WorkQueueState> {
    return readQueueState(this.#connected(), this.#named(queue), this.#options.streamReplicas);
  }

  #connected(): NatsConnection {
    if (!this.#open) throw new Error('NATS is not connected.');
    return this.#open;
  }

  get #prefix(): string {
    return this.#options.prefix ?? 'relata';
  }

  #subjectOf(name: string): string {
    return `${this.#prefix}.${name}`;
  }

  #consumerOf(connection: NatsConnection, queue: WorkQueue<unknown>): WorkQueueConsumer {
    return this.#consumers.getOrInsertComputed(
      queue.stream,
      () => new WorkQueueConsumer(connection, this.#named(queue), this.#options.streamReplicas ?? 1),
    );
  }

  /** Returns a copy of the queue with the names that it has on the server. */
  #named<Message>(queue: WorkQueue<Message>): WorkQueue<Message> {
    return { ...queue, stream: `${this.#prefix}_${queue.stream}`, subject: this.#subjectOf(queue.subject) };
  }

  /** Calls `receive` for messages of other processes, never for those of this one. */
  subscribe<Message>(broadcast: Broadcast<Message>, receive: (message: Message) => void): void {
    const subscription = { broadcast, receive } as Subscription;
    this.#subscriptions.push(subscription);
    if (this.#open) this.#subscribeOn(this.#open, subscription);
  }

  /** Calls `act` after each reconnect, since messages may have been missed. */
  onReconnect(act: () => void): void {
    this.#reconnected.push(act);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    // An attempt in progress cannot be cancelled; if it succeeds, it closes its connection itself.
    await Promise.race([this.#connecting, pause(100, undefined, { ref: false })]);
    const connection = this.#connection;
    if (!connection) return;
    const flushed = connection.flush().catch(() => undefined);
    await Promise.race([flushed, pause(1_000, undefined, { ref: false })]);
    await Promise.race([connection.close(), pause(500, undefined, { ref: false })]);
  }

  async #connectUntilClosed(): Promise<void> {
    const { signal } = this.#closing;
    const reported = new Set<string>();
    for (;;) {
      await pause(Math.max(0, this.#nextAttemptAt - performance.now()), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      this.#nextAttemptAt = performance.now() + jittered(attemptEveryMs);
      try {
        return this.#adopt(await connect(this.#connectionOptions()));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        // Each reason is logged once, however many attempts fail.
        if (!reported.has(reason)) this.#options.log?.warn({ reason }, 'waiting for NATS');
        reported.add(reason);
        this.#refusal = reason;
      }
    }
  }

  #connectionOptions() {
    const { servers, hosts, credentials, insistsOnTls } = readAddresses(this.#options.url);
    return {
      ...credentials,
      servers,
      ...(insistsOnTls && { tls: insistingOnTls(hosts) }),
      name: this.#options.name,
      noEcho: true,
      timeout: 3_000,
      // The error makes the client close a broken connection. If the client reconnected, it would keep memory for each
      // refused attempt. With `reconnect: false`, it would leave a connection open if one address of a host refuses and
      // the next accepts.
      reconnectDelayHandler: () => {
        if (this.isConnected) throw new Error('The connection broke.');
        return 0;
      },
      pingInterval: pingIntervalMs,
      maxPingOut: pingsUnansweredMax,
    };
  }

  #adopt(connection: NatsConnection): void {
    if (this.#closing.signal.aborted) return void connection.close();
    if (this.#connection || this.#refusal !== undefined) this.#options.log?.info('connected to NATS');
    this.#connection = connection;
    this.#consumers.clear();
    for (const subscription of this.#subscriptions) this.#subscribeOn(connection, subscription);
    void connection.closed().then(() => this.#reconnect());
    this.#refusal = undefined;
  }

  #subscribeOn(connection: NatsConnection, { broadcast, receive }: Subscription): void {
    const callback = (error: Error | null, message: { json(): unknown }) => {
      if (error) return;
      const parsed = broadcast.schema.safeParse(readJson(message));
      if (parsed.success) receive(parsed.data);
      else this.#options.log?.warn({ subject: broadcast.subject }, 'invalid message dropped');
    };
    connection.subscribe(this.#subjectOf(broadcast.subject), { callback });
  }

  async #reconnect(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#options.log?.warn('disconnected from NATS');
    this.#connecting = this.#connectUntilClosed();
    await this.#connecting;
    if (this.isConnected) for (const act of this.#reconnected) act();
  }
}

/** Returns the options of a span. The queue is named without its prefix, which differs by installation. */
function spanOf(operation: 'send' | 'receive', name: string): SpanOptions {
  return {
    kind: operation === 'send' ? 'producer' : 'consumer',
    attributes: {
      'messaging.system': 'nats',
      'messaging.operation.name': operation,
      'messaging.operation.type': operation,
      'messaging.destination.name': name,
    },
  };
}

/** Adds a span to the trace in which the message was sent; the handling of the message has its own span. */
function noteReceived(name: string, traceparent: string | undefined): void {
  const parent = readTraceparent(traceparent);
  if (parent) tracing!.child(`receive ${name}`, { ...spanOf('receive', name), parent }, () => undefined);
}

function readJson(message: { json(): unknown }): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
