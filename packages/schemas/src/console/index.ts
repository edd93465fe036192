import { assignWorkflow, listAssignable, previewAssignment, unassignWorkflow } from './assignment.operations.ts';
import * as audit from './audit.operations.ts';
import { readChanges } from './change.operations.ts';
import * as deliveries from './delivery.operations.ts';
import { createKey, listKeys, revokeKey, rotateKey, updateKey } from './key.operations.ts';
import * as me from './me.operations.ts';
import { inviteMember, listMembers, removeMember, setMemberRole } from './member.operations.ts';
import { getOrganization, updateOrganization } from './organization.operations.ts';
import { listProblems, listRunStates, replayProblem, retryProblem, setProblemState } from './problem.operations.ts';
import { findRecords } from './record.operations.ts';
import { countRefusals, listRefusals } from './refusal.operations.ts';
import * as runs from './run.operations.ts';
import { enter, readLink, signIn, signOut } from './sign-in.operations.ts';
import {
  checkWorkflow,
  createWorkflow,
  getWorkflow,
  listWorkflows,
  listWorkflowVersions,
  publishWorkflow,
} from './workflow.operations.ts';
import { searchDeliveries } from './search.operations.ts';
import { listSenders } from './sender.operations.ts';
import { getToday } from './today.operations.ts';
import {
  createTrigger,
  getTrigger,
  listTriggers,
  rotateTriggerSecret,
  selectTriggerKey,
  updateTrigger,
} from './trigger.operations.ts';

const { listDeliveries, getDeliveryCounts, getDelivery, getReplayPreview, replayDelivery } = deliveries;

/** All operations of the console. */
export const consoleOperations = {
  readLink,
  enter,
  signIn,
  signOut,
  ...me,
  getOrganization,
  updateOrganization,
  listKeys,
  createKey,
  updateKey,
  rotateKey,
  revokeKey,
  listMembers,
  inviteMember,
  setMemberRole,
  removeMember,
  ...audit,
  findRecords,
  listTriggers,
  createTrigger,
  getTrigger,
  updateTrigger,
  rotateTriggerSecret,
  selectTriggerKey,
  listSenders,
  listAssignable,
  assignWorkflow,
  unassignWorkflow,
  previewAssignment,
  listDeliveries,
  getDeliveryCounts,
  searchDeliveries,
  getDelivery,
  getReplayPreview,
  replayDelivery,
  ...runs,
  readChanges,
  listWorkflows,
  createWorkflow,
  checkWorkflow,
  getWorkflow,
  listWorkflowVersions,
  publishWorkflow,
  listProblems,
  setProblemState,
  retryProblem,
  replayProblem,
  listRunStates,
  listRefusals,
  countRefusals,
  getToday,
};

export type ConsoleOperations = typeof consoleOperations;

export { type ChangeKind, changeKinds } from './change.operations.ts';
export { consoleErrorsOf, type ConsoleSpec } from '../operation.ts';
export type { Preview } from './assignment.operations.ts';
export { consolePath } from './shared/console-path.ts';
export type { Delivery, ListedDelivery } from './delivery.operations.ts';
export type { Key } from './key.operations.ts';
export type { Member } from './member.operations.ts';
export { type Permission, type Role, RoleName, roleNames, roles } from './shared/permissions.ts';
export type { Me, Session } from './shared/person.schema.ts';
export type { Problem } from './problem.operations.ts';
export type { FoundRecord } from './record.operations.ts';
export type { RefusedPost } from './refusal.operations.ts';
export type { ListedRun, RetryWay, Run, RunStep } from './shared/run.schema.ts';
export type { DeliverySearch } from './search.operations.ts';
export type { Sender } from './sender.operations.ts';
export { type Link, passwordCharacters } from './sign-in.operations.ts';
export type { Today } from './today.operations.ts';
export type { ListedTrigger, Trigger } from './trigger.operations.ts';
export type {
  DefinitionFault,
  ListedWorkflow,
  PublishedWorkflow,
  Workflow,
  WorkflowVersion,
} from './shared/workflow.schema.ts';
