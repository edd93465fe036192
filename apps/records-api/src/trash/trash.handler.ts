import { toActor } from '@relata/auth';
import type { Database, Executor } from '@relata/db';
import type { Handlers } from '@relata/http';
import { findTrashEntry, listTrash, restoreUnit, shownEntry } from '@relata/records';
import type { recordsOperations } from '@relata/schemas';
import { orNotFound } from '@relata/schemas/errors';

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
      const found = await findTrashEntry(database.of(orgId), orgId, id);
      return { data: shownEntry(orNotFound(found), trashDays) };
    },
    restoreFromTrash: async ({ params: { id }, ifMatch }, { caller, exchange, writes = executor }) => {
      const unit = restoreUnit(toActor(caller, exchange.requestId), { id, ifMatch });
      const { record, ...meta } = await writes.alone(unit, { sender: exchange });
      return { data: record as never, meta: { action: 'restored', ...meta } };
    },
  };
}
