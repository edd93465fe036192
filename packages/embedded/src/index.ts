export { freePort, freePorts } from './free-port.ts';
export { isRunning, stopStranger } from './process/leftover-process.ts';
export { findNatsServer, type FindNatsOptions } from './nats/nats-binary.ts';
export { NatsCluster, type NatsClusterOptions, NatsNode } from './nats/nats-cluster.ts';
export {
  startNats,
  stopLeftoverNats,
  type NatsClusterPlace,
  type NatsOptions,
  type NatsServer,
} from './nats/nats-server.ts';
export type { PostgresBinaries } from './postgres/postgres-binary.ts';
export { stopLeftoverPostgres } from './postgres/postgres-leftover.ts';
export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres/postgres-server.ts';
export { lastLines } from './process/server-log.ts';
export { type Exit, type ServerProcess, spawnServer } from './process/server-process.ts';
