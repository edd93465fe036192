import { tableOf } from '../table.ts';
import { count, milliseconds, ratio } from '@relata/testbed/markdown';
import type { LargeOrganization } from './organization.ts';
import type { TableSize } from './table-size.sql.ts';

export function bytesTable(tables: readonly TableSize[]): string {
  return tableOf(
    tables,
    ['table, with its indexes', ({ table }) => `\`${table}\``],
    ['rows', ({ rows }) => count(rows)],
    ['MB', ({ bytes }) => count(bytes / 1e6)],
    ['bytes per row', ({ rows, bytes }) => (rows === 0 ? '' : count(bytes / rows))],
  );
}

export function requestsTable({ records, smallRecords, compared }: LargeOrganization): string {
  const [few, many] = [count(smallRecords), count(records)];
  return tableOf(
    compared,
    ['request', ({ title }) => title],
    [`p50 ms among ${few}`, ({ small }) => milliseconds(small.alone.p50Ms)],
    [`among ${many}`, ({ large }) => milliseconds(large.alone.p50Ms)],
    ['ratio', ({ small, large }) => ratio(large.alone.p50Ms / small.alone.p50Ms)],
    [`p99 ms among ${few}, 32 connections`, ({ small }) => milliseconds(small.together.p99Ms)],
    [`among ${many}`, ({ large }) => milliseconds(large.together.p99Ms)],
    [`req/s among ${few}`, ({ small }) => count(small.together.requestsPerSecond)],
    [`among ${many}`, ({ large }) => count(large.together.requestsPerSecond)],
    ['ratio', ({ small, large }) => ratio(large.together.requestsPerSecond / small.together.requestsPerSecond)],
  );
}
