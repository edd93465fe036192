export { account, type Account } from './account.ts';
export { contact, type Contact } from './contact.ts';
export { opportunity, type Opportunity } from './opportunity.ts';
export { pipeline, type Pipeline } from './pipeline.ts';
export { stage, type Stage } from './stage.ts';
export { user, type User } from './user.ts';
