import { isDeepStrictEqual } from 'node:util';
import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { WorkQueue } from './work-queue.ts';
import { consumerConfig, streamConfig } from './work-queue-config.ts';

const requestTimeoutMs = 3_000;

/** How many bytes JetStream has on disk for us, and may have; `most` is null where the account has no limit. */
export interface StreamStorage {
  used: number;
  most: number | null;
}

/** A work queue as the server has it. */
export interface WorkQueueState {
  stream: string;
  /** The first worker makes both. */
  isMissing: boolean;
  /** Messages that no worker was given yet, and those given that are not confirmed. */
  waiting: number;
  unconfirmed: number;
  /** Names of what is configured otherwise than the code makes it: `stream max_age`. */
  differences: string[];
}

/** Throws where the server, or the account, has no JetStream. */
export async function readStorage(connection: NatsConnection): Promise<StreamStorage> {
  const manager = await managerOf(connection);
  const { storage, limits } = await manager.getAccountInfo();
  return { used: storage, most: limits.max_storage > 0 ? limits.max_storage : null };
}

/** `queue` has the names that the server knows. Copies of the stream are compared where it is known how many there should be. */
export async function readQueueState(
  connection: NatsConnection,
  queue: WorkQueue<unknown>,
  replicas: number | undefined,
): Promise<WorkQueueState> {
  const manager = await managerOf(connection);
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

const managerOf = (connection: NatsConnection) =>
  jetstreamManager(connection, { timeout: requestTimeoutMs, checkAPI: false });

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
