import type { OwnTransactionOptions } from '@relata/db';
import type { HandlerContext } from '@relata/http';
import { findTrashEntry, listTrash, recordName, restoreUnit, shownEntry } from '@relata/records';
import type { TrashEntry } from '@relata/schemas';
import type { TrashedRecord } from '@relata/schemas/console';
import { type OrgCaller, toActor } from '../session/console-caller.ts';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';
import { findTrashDetails } from './trash-details.sql.ts';

export function trashHandlers({ database, executor, trashDays }: ConsoleContext) {
  const readPage = async (orgId: string, { record_id: id, ...query }: TrashQuery) => {
    const db = database.of(orgId);
    if (id === undefined) return listTrash(db, orgId, query, trashDays);
    const found = await findTrashEntry(db, orgId, id);
    return { data: found ? [shownEntry(found, trashDays)] : [], has_more: false };
  };
  const shown = async (orgId: string, entries: readonly TrashEntry[]): Promise<TrashedRecord[]> => {
    const ids = entries.map(({ id }) => id);
    const details = await findTrashDetails(database.of(orgId), orgId, ids);
    return entries.flatMap((entry) => {
      const its = details.get(entry.id);
      // The record was restored or purged in the meantime.
      if (!its) return [];
      const { deleted_by, deleted_with, winner_name } = its;
      const merged_into = entry.merged_into === null ? null : { id: entry.merged_into, name: winner_name };
      return [{ ...entry, name: recordName(entry.record), deleted_by, deleted_with, merged_into } as TrashedRecord];
    });
  };
  const restore = async (id: string, { caller, exchange }: HandlerContext<OrgCaller>, how: OwnTransactionOptions) => {
    const unit = restoreUnit(toActor(caller, exchange.requestId), { id });
    const { record, ...restored } = await executor.runAlone(unit, { ...how, sender: exchange });
    return { data: { id, name: recordName(record as Record<string, unknown>), ...restored } };
  };
  return {
    listTrash: async ({ query }, { caller: { orgId } }) => {
      const page = await readPage(orgId, query);
      const next = 'next_cursor' in page ? page.next_cursor : undefined;
      return { data: await shown(orgId, page.data), has_more: page.has_more, next_cursor: next ?? null };
    },
    previewRestore: ({ params: { id } }, context) => restore(id, context, { rollsBack: true }),
    restoreFromTrash: ({ params: { id } }, context) => restore(id, context, {}),
  } satisfies Partial<ConsoleHandlers>;
}

type TrashQuery = Parameters<ConsoleHandlers['listTrash']>[0]['query'];
