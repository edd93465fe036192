import { AckPolicy, DiscardPolicy, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { WorkQueue } from './work-queue.ts';

/** Maximum age of a message. By then, the worker's sweep has found its run in the database. */
const ageMaxMs = 3_600_000;
const messagesMax = 1_000_000;
const ackWaitMs = 30_000;

export const requestTimeoutMs = 3_000;

export const openManager = (connection: NatsConnection) =>
  jetstreamManager(connection, { timeout: requestTimeoutMs, checkAPI: false });

type Names = Pick<WorkQueue<unknown>, 'stream' | 'subject' | 'consumer'>;

/** Returns the configuration with which a queue's stream is created. */
export function streamConfig({ stream, subject }: Names, replicas: number) {
  return {
    name: stream,
    subjects: [subject],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: nanos(ageMaxMs),
    max_msgs: messagesMax,
    num_replicas: replicas,
  };
}

/** Returns the configuration of the consumer that all workers of a queue share. */
export function consumerConfig({ consumer }: Names) {
  return {
    durable_name: consumer,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 10_000,
  };
}
