/** What a test run is given, however it came about. */
export interface Servers {
  postgresUrl: string;
  natsUrl: string;
  stop(): Promise<void>;
}

/** Whether a Docker engine answers; its client alone is not enough. */
export async function hasDocker(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

export async function startContainers(): Promise<Servers> {
  const { GenericContainer } = await import('testcontainers');
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const [postgres, nats] = await Promise.all([
    new PostgreSqlContainer('postgres:18').withCommand(['postgres', '-c', 'max_connections=200']).start(),
    new GenericContainer('nats:2.12').withCommand(['-js']).withExposedPorts(4222).start(),
  ]);
  return {
    postgresUrl: postgres.getConnectionUri(),
    natsUrl: `nats://${nats.getHost()}:${nats.getMappedPort(4222)}`,
    stop: async () => void (await Promise.all([postgres.stop(), nats.stop()])),
  };
}
