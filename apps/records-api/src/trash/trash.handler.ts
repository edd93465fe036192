import { toActor } from '@relata/auth';
import type { Database, Executor } from '@relata/db';
import type { Handlers } from '@relata/http';
import { findTrashEntry, listTrash, missingRecord, restoreUnit, shownEntry } from '@relata/records';
import type { recordsOperations } from '@relata/schemas';

interface TrashContext {
  database: Database;
  executor: Executor;
  trashDays: number;
}

type TrashOperations = Pick<typeof recordsOperations, 'listTrash' | 'getTrashEntry' | 'restoreFromTrash'>;

/** Returns the handlers of the operations on deleted records. */
export function trashHandlers({ database, executor, trashDays }: TrashContext): Handlers<TrashOperations> {
  return {
    listTrash: ({ query }, { caller: { orgId } }) => listTrash(database.of(orgId), orgId, query, trashDays),
    getTrashEntry: async ({ params: { id } }, { caller: { orgId } }) => {
      const db = database.of(orgId);
      const found = await findTrashEntry(db, orgId, id);
      if (!found) throw await missingRecord(db, orgId, id);
      return { data: shownEntry(found, trashDays) };
    },
    restoreFromTrash: async ({ params: { id }, ifMatch }, { caller, exchange, writes = executor }) => {
      const unit = restoreUnit(toActor(caller, exchange.requestId), { id, ifMatch });
      const { record, ...meta } = await writes.runAlone(unit, { isBulk: true, sender: exchange });
      return { data: record as never, meta: { action: 'restored', ...meta } };
    },
  };
}
