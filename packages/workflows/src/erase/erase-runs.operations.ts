import type { Database } from '@relata/db';
import { readInput } from '@relata/events';
import { longText, uuid } from '@relata/schemas';
import { z } from 'zod';
import { readDeliveryBatch } from '../deliveries/delivery-batch.sql.ts';
import { containsAny, type SearchCondition, textCondition } from '../deliveries/search-condition.ts';
import { SearchWalk } from '../deliveries/search-walk.ts';
import { idRange } from '../list-window.ts';
import { TimeSlicer, type TimeSlicerOptions } from '../time-slicer.ts';
import {
  countErasable,
  deliveriesMax,
  eraseDeliveries,
  type ErasedDeliveries,
  eraseRefusals,
  findDeliveriesByRuns,
  listKeptRefusals,
  partsOf,
} from './erase-runs.sql.ts';

/** Minimum length of a text, in characters: a shorter text would match most deliveries. */
const textMin = 5;

const EraseRuns = z.strictObject({
  texts: z.array(longText(textMin)).min(1),
  /** Id of the delivery to continue before. */
  before: uuid().optional(),
  /** True to count without deleting. */
  isDryRun: z.boolean().default(false),
});

interface EraseContext extends Pick<TimeSlicerOptions, 'takeTurn'> {
  database: Database;
}

export interface ErasedRunsPage extends ErasedDeliveries {
  /** The id to continue before; undefined if no older delivery is left. */
  next: string | undefined;
}

/** CPU time for one page, in ms. It is spent in the operator's process. */
const workMsMax = 500;
const limit = 1_000;

/**
 * Deletes deliveries and their runs if one of the texts occurs in the body, a header, or the inputs, error or journal
 * of a run. Ignores case, and keeps deliveries with a run that has not ended. Examines at most 1,000 deliveries and 4
 * MB of bodies, the newest first; `next` continues after them. A dry run counts in the same way and deletes nothing.
 * The call can be repeated.
 */
export async function eraseRunsPage(
  { database, takeTurn }: EraseContext,
  orgId: string,
  input: z.input<typeof EraseRuns>,
): Promise<ErasedRunsPage> {
  const { texts, before, isDryRun } = readInput(EraseRuns, input);
  const db = database.of(orgId);
  const slicer = new TimeSlicer({ workMsMax, takeTurn });
  const walk = new SearchWalk({ condition: anyOf(texts), limit, slicer, signal: undefined, known: undefined });
  const ids = idRange({ before });
  const read: string[] = [];
  await walk.through(ids.high, async (bounds) => {
    const batch = await readDeliveryBatch(db, orgId, {}, { ...ids, ...bounds });
    read.push(...batch.map(({ id }) => id));
    return batch;
  });
  const next = walk.last?.id;
  const examined = next === undefined ? read : read.filter((id) => id >= next);
  const byRuns = await findDeliveriesByRuns(database.scanOf(orgId), orgId, examined, texts);
  const all = { deliveries: 0, runs: 0, active: 0, next };
  for (const part of partsOf([...new Set([...walk.matches, ...byRuns])], deliveriesMax)) {
    const erased = await (isDryRun ? countErasable : eraseDeliveries)(db, orgId, part);
    for (const name of ['deliveries', 'runs', 'active'] as const) all[name] += erased[name];
  }
  return all;
}

/** Deletes refused posts that contain one of the texts, and returns their number. Others expire after 7 days. */
export async function eraseRefusedPosts(
  { database, takeTurn }: EraseContext,
  orgId: string,
  input: Pick<z.input<typeof EraseRuns>, 'texts' | 'isDryRun'>,
): Promise<number> {
  const { texts, isDryRun } = readInput(EraseRuns, input);
  const db = database.of(orgId);
  const isMatch = anyOf(texts);
  const isIn = containsAny(texts);
  const yieldToLoop = () => takeTurn(0);
  let count = 0;
  for (let after: string | undefined; ;) {
    const page = await listKeptRefusals(db, orgId, after);
    const found: string[] = [];
    for (const { id, body, headers, message } of page) {
      const content = { id, body, headers: JSON.parse(headers) as Record<string, string> };
      if (isIn(message) || (await isMatch(content, yieldToLoop))) found.push(id);
    }
    if (!isDryRun && found.length > 0) await eraseRefusals(db, orgId, found);
    count += found.length;
    after = page.at(-1)?.id;
    if (after === undefined) return count;
  }
}

/** Returns a condition that a delivery has one of the texts. A body that cannot be parsed is searched as sent. */
function anyOf(texts: readonly string[]): SearchCondition {
  const condition = textCondition(...texts);
  return (delivery, yieldToLoop) => condition(delivery, yieldToLoop).catch(() => false);
}
