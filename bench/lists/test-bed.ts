import { totalmem } from 'node:os';
import { type Database, openDatabase } from '@relata/db';
import { service } from '@relata/records-api/service';
import { type Program, startProgram } from '@relata/testbed/program';
import { openServers } from '@relata/testbed/servers';
import { createTestOrganization } from '@relata/testbed/site';
import { loadRecords } from './records.sql.ts';

export interface ListsBed extends AsyncDisposable {
  folder: string;
  postgresVersion: string;
  database: Database;
  /** The organization with nearly all records. */
  orgId: string;
  key: string;
  startFloor(): Promise<Program>;
  startRelata(nodeOptions?: string[]): Promise<Program>;
}

const smallCount = 10;
/** Time limit of the statements that load the rows. */
const statementTimeoutMs = 1_800_000;

export async function openListsBed(rows: number, onProgress: (line: string) => void): Promise<ListsBed> {
  await using stack = new AsyncDisposableStack();
  // docs/scaling.md recommends a quarter of the memory for `shared_buffers`. With the default of 128 MB, PostgreSQL
  // would read most pages from the system's cache.
  const quarterMb = Math.floor(totalmem() / 4 / 1024 ** 2);
  const settings = { max_wal_size: '16GB', checkpoint_timeout: '1h', shared_buffers: `${quarterMb}MB` };
  const servers = await openServers(stack, { name: 'bench-lists', onProgress, settings });
  const { folder, postgres, postgresVersion } = servers;
  const database = stack.use(openDatabase({ url: postgres.url, name: 'bench', statementTimeoutMs }));
  const { orgId, keys } = await createTestOrganization(database, 'Large', ['records:read']);
  const small: string[] = [];
  for (let i = 1; i <= smallCount; i++) small.push((await createTestOrganization(database, `Small ${i}`)).orgId);
  onProgress(`loading ${rows.toLocaleString('en-US')} contacts and as many opportunities`);
  await loadRecords(database, postgres.url, { large: orgId, small, rows }, onProgress);
  const opened = stack.move();
  return {
    folder,
    postgresVersion,
    database,
    orgId,
    key: keys[0]!,
    startFloor: () =>
      startProgram({
        name: 'floor',
        file: new URL('./floor.worker.ts', import.meta.url),
        logFile: servers.logFile,
        env: { DATABASE_URL: postgres.url, ORG_ID: orgId },
      }),
    startRelata: (nodeOptions = []) =>
      servers.start(service, { nodeOptions, env: { API_RATE_LIMIT: '1000000000/1m' } }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
