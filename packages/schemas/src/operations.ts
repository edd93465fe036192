import { createAccount, getAccount, listAccounts, updateAccount } from './account.ts';
import { createContact, getContact, listContacts, updateContact } from './contact.ts';
import { createCustomActivity, getCustomActivity, listCustomActivities } from './custom-activity.ts';
import { chat, requestDemo } from './genie.ts';
import { createOpportunity, getOpportunity, listOpportunities, updateOpportunity } from './opportunity.ts';
import { getPipeline, listPipelines } from './pipeline.ts';
import { getSelf } from './self.ts';
import { getStage, listStages } from './stage.ts';
import { getUser, listUsers } from './user.ts';

/** Every operation that records-api serves. */
export const recordsOperations = {
  listAccounts,
  createAccount,
  getAccount,
  updateAccount,
  listContacts,
  createContact,
  getContact,
  updateContact,
  listOpportunities,
  createOpportunity,
  getOpportunity,
  updateOpportunity,
  listPipelines,
  getPipeline,
  listStages,
  getStage,
  listUsers,
  getUser,
  createCustomActivity,
  listCustomActivities,
  getCustomActivity,
  getSelf,
};

/** Every operation that chat-gateway serves. */
export const chatOperations = { chat, requestDemo };
