import { cpus, totalmem } from 'node:os';

export function describeMachine(postgresVersion: string): string {
  const cores = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const processor = cores[0]?.model.trim() ?? 'unknown processor';
  return (
    `${cores.length} cores (${processor}), ${gigabytes} GB, ${process.platform}; Node ${process.version}, ` +
    `PostgreSQL ${postgresVersion} with fsync and synchronous_commit on; the load shares the cores.`
  );
}
