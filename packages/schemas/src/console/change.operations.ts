import { z } from 'zod';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';

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
export const readChanges = consoleOperation('get', '/orgs/{org}/stream', {
  permission: 'read',
  isNoUse: true,
  success: { status: 200, body: dataSchema(ChangeMarks) },
  stream: {
    headers: z.object({}),
  },
});
