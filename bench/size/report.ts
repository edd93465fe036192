import { count, markdownTable, milliseconds, ratio } from '@relata/testbed/markdown';
import type { LargeOrganization } from './organization.ts';
import type { TableSize } from './table-size.sql.ts';

export function bytesTable(tables: readonly TableSize[]): string {
  const rows = tables.map(({ table, rows: all, bytes }) => [
    `\`${table}\``,
    count(all),
    count(bytes / 1e6),
    all === 0 ? '' : count(bytes / all),
  ]);
  return markdownTable(['table, with its indexes', 'rows', 'MB', 'bytes a row'], rows);
}

export function requestsTable({ records, smallRecords, compared }: LargeOrganization): string {
  const [few, many] = [count(smallRecords), count(records)];
  const head = [
    'request',
    `p50 ms among ${few}`,
    `among ${many}`,
    'ratio',
    `p99 ms among ${few}, 32 connections`,
    `among ${many}`,
    `req/s among ${few}`,
    `among ${many}`,
    'ratio',
  ];
  const rows = compared.map(({ title, small, large }) => [
    title,
    milliseconds(small.alone.p50Ms),
    milliseconds(large.alone.p50Ms),
    ratio(large.alone.p50Ms / small.alone.p50Ms),
    milliseconds(small.together.p99Ms),
    milliseconds(large.together.p99Ms),
    count(small.together.requestsPerSecond),
    count(large.together.requestsPerSecond),
    ratio(large.together.requestsPerSecond / small.together.requestsPerSecond),
  ]);
  return markdownTable(head, rows);
}
