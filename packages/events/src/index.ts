export { type Actor, type Author, inOrganization, type Operator, operatorIn, workflowRunIn } from './actor.ts';
export { type Bus, busOn, noBus } from './bus.ts';
export { type OperationContext, readInput, within } from './operation-context.ts';
