import { customActivity } from './custom-activity.ts';
import { chat, voteAnswer } from './chat/chat.ts';
import { requestDemo } from './chat/demo-request.ts';
import { getEvent, listEvents } from './events/events.ts';
import type { OperationSpec } from './operation.ts';
import * as records from './resources/index.ts';
import { getSelf } from './self.ts';
import { getTrashEntry, listTrash, restoreFromTrash } from './trash/trash.ts';

/**
 * All kinds of records. The exports of a module are in alphabetical order, and so are their operations in documents.
 */
export const resources = [...Object.values(records), customActivity];

export type DeclaredResource = (typeof resources)[number];
type OperationsOf<Each> = Each extends { operations: infer Operations } ? Operations[keyof Operations] : never;
type ById<Operation extends OperationSpec> = { [Each in Operation as Each['id']]: Each };

/** All operations on records, by id. */
export const resourceOperations = Object.fromEntries(
  resources.flatMap(({ operations }) => Object.values<OperationSpec>(operations).map((each) => [each.id, each])),
) as ById<OperationsOf<DeclaredResource>>;

/** All operations that records-api serves. */
export const recordsOperations = {
  ...resourceOperations,
  listTrash,
  getTrashEntry,
  restoreFromTrash,
  listEvents,
  getEvent,
  getSelf,
};

/** All operations that chat-gateway serves. */
export const chatOperations = { chat, requestDemo, voteAnswer };
