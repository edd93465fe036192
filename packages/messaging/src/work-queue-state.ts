import { isDeepStrictEqual } from 'node:util';
import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { WorkQueue } from './work-queue.ts';
import { consumerConfig, openManager, streamConfig } from './work-queue-config.ts';

/** Bytes on disk that JetStream uses for the account, and their maximum; null if the account has no limit. */
export interface StreamStorage {
  used: number;
  most: number | null;
}

/** State of a work queue on the server. */
export interface WorkQueueState {
  stream: string;
  /** True if the stream or the consumer is missing. The first worker creates both. */
  isMissing: boolean;
  /**
   * Number of messages not yet delivered to a worker. `unconfirmed` counts the messages delivered but not yet
   * acknowledged.
   */
  waiting: number;
  unconfirmed: number;
  /** Names of settings that differ from the code's, such as `stream max_age`. */
  differences: string[];
}

/** Reads the storage that JetStream uses for the account. Throws if the server or the account has no JetStream. */
export async function readStorage(connection: NatsConnection): Promise<StreamStorage> {
  const manager = await openManager(connection);
  const { storage, limits } = await manager.getAccountInfo();
  return { used: storage, most: limits.max_storage > 0 ? limits.max_storage : null };
}

/**
 * Reads the state of `queue`, which must have the names that it has on the server. Compares the number of stream
 * replicas only if `replicas` is given.
 */
export async function readQueueState(
  connection: NatsConnection,
  queue: WorkQueue<unknown>,
  replicas: number | undefined,
): Promise<WorkQueueState> {
  const manager = await openManager(connection);
  const found = await find(manager, queue);
  if (!found) return { stream: queue.stream, isMissing: true, waiting: 0, unconfirmed: 0, differences: [] };
  const { stream, consumer } = found;
  return {
    stream: queue.stream,
    isMissing: false,
    waiting: consumer.num_pending,
    unconfirmed: consumer.num_ack_pending,
    differences: [
      ...differencesOf('stream', streamConfig(queue, replicas ?? stream.config.num_replicas), stream.config),
      ...differencesOf('consumer', consumerConfig(queue), consumer.config),
    ],
  };
}

async function find(manager: JetStreamManager, { stream, consumer }: WorkQueue<unknown>) {
  try {
    return { stream: await manager.streams.info(stream), consumer: await manager.consumers.info(stream, consumer) };
  } catch (error) {
    if (error instanceof JetStreamApiError && notFound.has(error.code)) return undefined;
    throw error;
  }
}

const notFound = new Set<number>([JetStreamApiCodes.StreamNotFound, JetStreamApiCodes.ConsumerNotFound]);

function differencesOf(what: string, expected: object, found: object): string[] {
  const given = found as Record<string, unknown>;
  return Object.entries(expected).flatMap(([name, value]) =>
    isDeepStrictEqual(given[name], value) ? [] : [`${what} ${name}`],
  );
}
