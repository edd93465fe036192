import { z } from 'zod';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';

/** What pages show that may change at any time; `events` is whatever has one: keys, members, triggers, records. */
export const changeKinds = ['deliveries', 'runs', 'events'] as const;

export type ChangeKind = (typeof changeKinds)[number];

const mark = z
  .string()
  .meta({ description: 'Another text once something of this kind has changed; it says nothing else.' });

const ChangeMarks = z.object({ deliveries: mark, runs: mark, events: mark });

export const readChanges = operation({
  id: 'readChanges',
  method: 'get',
  path: `${orgPath}/stream`,
  summary: 'Follow that something has changed, so that pages ask for it again',
  description: 'It never says what: those who may read that ask for it.',
  permission: 'read',
  isNoUse: true,
  params: pathOrg,
  success: { status: 200, description: 'A mark of each kind, of the newest.', body: dataOf(ChangeMarks) },
  stream: {
    description:
      'Server-sent events: `event` is `change`, `data` the kinds, separated by commas. A comment comes every 4 s; the ' +
      'stream ends after 5 minutes, and when the session has ended or the membership is gone.',
    headers: z.object({}),
  },
});
