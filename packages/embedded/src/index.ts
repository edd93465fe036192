export { freePort, freePorts } from './free-port.ts';
export { isRunning, stopStranger } from './leftover.process.ts';
export { findNatsServer, type FindNatsOptions } from './nats.binary.ts';
export { NatsCluster, type NatsClusterOptions, NatsNode } from './nats.cluster.ts';
export {
  startNats,
  stopLeftoverNats,
  type NatsClusterPlace,
  type NatsOptions,
  type NatsServer,
} from './nats.server.ts';
export { stopLeftoverPostgres } from './postgres.leftover.ts';
export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres.server.ts';
export { lastLines } from './server.log.ts';
export { type Exit, type ServerProcess, spawnServer } from './server.process.ts';
