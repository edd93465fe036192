import { openDatabase } from '@relata/db';
import { service } from '@relata/records-api/service';
import { type CpuSeconds, withCpu } from '@relata/testbed/cpu';
import { describeMachine } from '@relata/testbed/machine';
import { count, milliseconds, yesOrNo } from '@relata/testbed/markdown';
import { quantile } from '@relata/testbed/quantile';
import { createTestOrganization } from '@relata/testbed/fixtures';
import { say } from '@relata/testbed/suite-program';
import type { Bench } from '../bench.ts';
import { openReader, type Reader } from '../reader.ts';
import { bulkSettings, openBenchServers } from '../servers.ts';
import { tableOf } from '../table.ts';
import { plantDuplicates, plantedGroups } from './planted.sql.ts';

const goalMs = 250;
const groupMax = 20_000;
/** Time limit of the statements that load the rows. */
const statementTimeoutMs = 1_800_000;

interface Walk {
  by: string;
  limit: number;
  groups: number;
  isExact: boolean;
  sortedMs: number[];
  /** Processor time of all requests together. */
  cpu: CpuSeconds<'postgres' | 'relata'>;
}

/** Measures every page of duplicates among a million contacts, and checks that exactly the planted groups are found. */
export const duplicatesBench: Bench = async ({ isQuick, stack }) => {
  const rows = isQuick ? 100_000 : 1_000_000;
  const servers = await openBenchServers(stack, bulkSettings);
  const { url } = servers.postgres;
  const database = stack.use(openDatabase({ url, name: 'bench', statementTimeoutMs }));
  const { orgId, keys } = await createTestOrganization(database, 'Large', ['records:read']);
  say(`loading ${count(rows)} contacts`);
  await plantDuplicates(database, url, orgId, rows);
  const relata = stack.use(await servers.start(service, { env: { API_RATE_LIMIT: '1000000000/1m' } }));
  const read = openReader(relata.url, keys[0]!);
  const walks: Walk[] = [];
  for (const [by, planted] of Object.entries(plantedGroups(rows)))
    for (const limit of [25, 100]) {
      say(`by ${by}, ${limit} groups a page`);
      const pids = { postgres: servers.postgres.pid, relata: relata.pid };
      const { result, cpu } = await withCpu(pids, () => walk(read, { by, limit, planted }));
      walks.push({ ...result, cpu });
    }
  const machine = describeMachine(servers.postgresVersion);
  return { text: [machine, walksTable(rows, walks)].join('\n\n'), figures: { machine, rows, walks } };
};

interface Page {
  data: { value: string; count: number }[];
  next_cursor?: string;
}

async function walk(
  read: Reader,
  { by, limit, planted }: { by: string; limit: number; planted: ReadonlyMap<string, number> },
): Promise<Omit<Walk, 'cpu'>> {
  const found: Page['data'] = [];
  const times: number[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const path: string = `/v1/records/contacts/duplicates?by=${by}&limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const { body: page, ms } = await read<Page>(path);
    times.push(ms);
    found.push(...page.data);
    cursor = page.next_cursor;
  }
  const isPlanted = ({ value, count: n }: Page['data'][number]) => Math.min(planted.get(value) ?? 0, groupMax) === n;
  const isExact = found.length === planted.size && new Set(found.map(({ value }) => value)).size === planted.size;
  const sortedMs = times.toSorted((a, b) => a - b);
  return { by, limit, groups: found.length, isExact: isExact && found.every(isPlanted), sortedMs };
}

function walksTable(rows: number, walks: readonly Walk[]): string {
  return tableOf<Walk>(
    walks,
    [
      `duplicates of ${count(rows)} contacts, one request at a time`,
      ({ by, limit }) => `\`by=${by}\`, \`limit=${limit}\``,
    ],
    ['groups', ({ groups }) => count(groups)],
    ['exactly those planted', ({ isExact }) => yesOrNo(isExact)],
    ['requests', ({ sortedMs }) => count(sortedMs.length)],
    ['p50 ms', ({ sortedMs }) => milliseconds(quantile(sortedMs, 0.5))],
    ['longest ms', ({ sortedMs }) => milliseconds(sortedMs.at(-1)!)],
    ['CPU ms per request, PostgreSQL', ({ cpu, sortedMs }) => perRequest(cpu.postgres, sortedMs)],
    ['Relata', ({ cpu, sortedMs }) => perRequest(cpu.relata, sortedMs)],
    [`≤ ${goalMs}`, ({ sortedMs }) => yesOrNo(sortedMs.at(-1)! <= goalMs)],
  );
}

const perRequest = (seconds: number, { length }: readonly number[]) => milliseconds((1_000 * seconds) / length);
