import { customActivity } from './custom-activity.ts';
import { chat, voteAnswer } from './chat/chat.ts';
import { requestDemo } from './chat/demo-request.ts';
import { getEvent, listEvents } from './events/events.ts';
import type { OperationSpec } from './operation.ts';
import * as records from './resources/index.ts';
import { getSelf } from './self.ts';

/** Every kind of record. A module's names come in alphabetical order, and so do their operations in documents. */
export const resources = [...Object.values(records), customActivity];

export type DeclaredResource = (typeof resources)[number];
type OperationsOf<Each> = Each extends { operations: infer Operations } ? Operations[keyof Operations] : never;
type ById<Operation extends OperationSpec> = { [Each in Operation as Each['id']]: Each };

/** What is done with records. */
export const resourceOperations = Object.fromEntries(
  resources.flatMap(({ operations }) => Object.values<OperationSpec>(operations).map((each) => [each.id, each])),
) as ById<OperationsOf<DeclaredResource>>;

/** Every operation that records-api serves. */
export const recordsOperations = { ...resourceOperations, listEvents, getEvent, getSelf };

/** Every operation that chat-gateway serves. */
export const chatOperations = { chat, requestDemo, voteAnswer };
