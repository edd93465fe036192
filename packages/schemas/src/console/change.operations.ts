import { z } from 'zod';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';

/**
 * Groups of data that pages show and that may change at any time. `events` covers everything that has events: keys,
 * members, triggers, records.
 */
export const changeKinds = ['deliveries', 'runs', 'events'] as const;

export type ChangeKind = (typeof changeKinds)[number];

/** Opaque text that changes whenever something of this kind changes. */
const mark = z.string();

const ChangeMarks = z.object({ deliveries: mark, runs: mark, events: mark });

/** Carries no data; clients fetch what changed. */
export const readChanges = operation({
  id: 'readChanges',
  method: 'get',
  path: `${orgPath}/stream`,
  permission: 'read',
  isNoUse: true,
  params: pathOrg,
  success: { status: 200, body: dataOf(ChangeMarks) },
  stream: {
    headers: z.object({}),
  },
});
