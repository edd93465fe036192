export { accounts } from './accounts/account.table.ts';
export { contacts } from './contacts/contact.table.ts';
export { customActivities } from './custom-activities/custom-activity.table.ts';
export { opportunities } from './opportunities/opportunity.table.ts';
export { pipelines } from './pipelines/pipeline.table.ts';
export { stages } from './stages/stage.table.ts';
export { users } from './users/user.table.ts';
