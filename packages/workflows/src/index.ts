export { type ApplyOptions, applyWorkflow, type IncompatibleAssignment } from './definitions/workflow.operations.ts';
export {
  findDefinition,
  findVersion,
  findWorkflow,
  findWorkflowsNamed,
  listAssignableWorkflows,
  listVersions,
  listWorkflows,
  type Version,
  type Workflow,
} from './definitions/workflow.sql.ts';
export type { Definition } from './definitions/definition.ts';
export type { InputSpec } from './definitions/input-value.ts';
export { DefinitionError, type DefinitionFault } from './definitions/definition.error.ts';
export { placeFaults } from './definitions/fault-places.ts';
export { definitionJsonSchema } from './definitions/schemas/definition-json-schema.ts';
export { stepGuide } from './definitions/step-guide.ts';
export { definitionWarnings } from './definitions/checks/definition-warnings.ts';
export { listSecretReferences } from './definitions/checks/secret-references.ts';
export { readDefinitionText } from './definitions/read-definition-text.ts';
export { readStoredDefinition } from './definitions/read-stored-definition.ts';
export { assignWorkflow, unassignWorkflow } from './triggers/assignment.operations.ts';
export { type InputMapping, listAssignments, listAssignmentsOfWorkflow } from './triggers/assignment.sql.ts';
export { previewAssignment } from './triggers/preview.operations.ts';
export { flatten } from './triggers/flatten.ts';
export { setupOfHeader } from '@relata/signatures';
export { carrySecret, listSenderKinds, nameSender, type SenderKind } from './triggers/signatures/sender-kinds.ts';
export {
  listOrganizationsToReencryptSigning,
  readSigningSecret,
  reencryptSigningSecrets,
} from './triggers/signatures/signing-secret.operations.ts';
export {
  changeTrigger,
  createTrigger,
  publishTriggers,
  rotateTriggerSecret,
  selectTriggerKey,
} from './triggers/trigger.operations.ts';
export { generateVerifyToken } from './triggers/verify-token.ts';
export { needsSigningKeys } from './triggers/trigger-guard.ts';
export { listAssignedWorkflows } from './triggers/trigger-snapshot.sql.ts';
export { findTrigger, findTriggerOrganization, listTriggers, type Trigger } from './triggers/trigger.sql.ts';
export { listTriggerSecrets, type TriggerSecret } from './triggers/trigger-secret.sql.ts';
export { TimeSlicer } from './time-slicer.ts';
