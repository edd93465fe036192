import { totalmem } from 'node:os';
import { openDatabase } from '@relata/db';
import { service } from '@relata/records-api/service';
import { createTestOrganization } from '@relata/testbed/fixtures';
import { say } from '@relata/testbed/suite-program';
import { bulkSettings, openBenchServers } from '../servers.ts';
import { loadRecords } from './records.sql.ts';

export type ListsBed = Awaited<ReturnType<typeof openListsBed>>;

const smallCount = 10;
/** Time limit of the statements that load the rows. */
const statementTimeoutMs = 1_800_000;

export async function openListsBed(stack: AsyncDisposableStack, rows: number) {
  // A quarter of the memory, as docs/scaling.md recommends. With the default of 128 MB, PostgreSQL would read most pages
  // from the system's cache.
  const quarterMb = Math.floor(totalmem() / 4 / 1024 ** 2);
  const servers = await openBenchServers(stack, { ...bulkSettings, shared_buffers: `${quarterMb}MB` });
  const { folder, postgres, postgresVersion } = servers;
  const database = stack.use(openDatabase({ url: postgres.url, name: 'bench', statementTimeoutMs }));
  const { orgId, keys } = await createTestOrganization(database, 'Large', ['records:read']);
  const small: string[] = [];
  for (let i = 1; i <= smallCount; i++) small.push((await createTestOrganization(database, `Small ${i}`)).orgId);
  say(`loading ${rows.toLocaleString('en-US')} contacts and as many opportunities`);
  await loadRecords(database, postgres.url, { large: orgId, small, rows });
  return {
    folder,
    postgresVersion,
    database,
    /** The organization with nearly all records. */
    orgId,
    key: keys[0]!,
    startFloor: () => servers.startFile(new URL('./floor.worker.ts', import.meta.url), { ORG_ID: orgId }),
    startRelata: (nodeOptions: string[] = []) =>
      servers.start(service, { nodeOptions, env: { API_RATE_LIMIT: '1000000000/1m' } }),
  };
}
