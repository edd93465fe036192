import * as assignments from './assignment.operations.ts';
import * as audit from './audit.operations.ts';
import { readChanges } from './change.operations.ts';
import * as deliveries from './delivery.operations.ts';
import * as erases from './erase.operations.ts';
import * as keys from './key.operations.ts';
import * as me from './me.operations.ts';
import * as members from './member.operations.ts';
import * as notify from './notify.operations.ts';
import * as organization from './organization.operations.ts';
import * as problems from './problem.operations.ts';
import * as records from './record.operations.ts';
import * as refusals from './refusal.operations.ts';
import * as runs from './run.operations.ts';
import * as senders from './sender.operations.ts';
import { identified } from './shared/console-operation.ts';
import * as signIn from './sign-in.operations.ts';
import * as today from './today.operations.ts';
import * as trash from './trash.operations.ts';
import * as triggers from './trigger.operations.ts';
import * as workflows from './workflow.operations.ts';

/** All operations of the console. */
export const consoleOperations = identified({
  ...signIn,
  ...me,
  ...organization,
  ...notify,
  ...keys,
  ...members,
  ...audit,
  ...records,
  ...trash,
  ...erases,
  ...triggers,
  ...senders,
  ...assignments,
  ...deliveries,
  ...runs,
  readChanges,
  ...workflows,
  ...problems,
  ...refusals,
  ...today,
});

export type ConsoleOperations = typeof consoleOperations;

export { type ChangeKind, changeKinds } from './change.operations.ts';
export { declaredConsoleErrors, type ConsoleSpec } from '../operation.ts';
export type { Preview } from './assignment.operations.ts';
export { consolePath } from './shared/console-operation.ts';
export type { Delivery, DeliverySearch, ListedDelivery } from './delivery.operations.ts';
export type { Erased } from './erase.operations.ts';
export type { Key } from './key.operations.ts';
export type { Member } from './member.operations.ts';
export { type Permission, type Role, RoleName, roleNames, roles } from './shared/permissions.ts';
export { type Me, passwordCharacters, type Session } from './shared/person.schema.ts';
export type { NotifyChannel } from './notify.operations.ts';
export type { Problem } from './problem.operations.ts';
export type { FoundRecord } from './record.operations.ts';
export type { RefusedPost } from './refusal.operations.ts';
export type { ListedRun, RetryOption, Run, RunStep } from './shared/run.schema.ts';
export type { Sender } from './sender.operations.ts';
export type { Link } from './sign-in.operations.ts';
export type { Today } from './today.operations.ts';
export type { Restored, TrashedRecord } from './trash.operations.ts';
export type { ListedTrigger, Trigger } from './shared/trigger.schema.ts';
export type {
  DefinitionFault,
  ListedWorkflow,
  PublishedWorkflow,
  Workflow,
  WorkflowVersion,
} from './shared/workflow.schema.ts';
