/** Made from `scopes`: npm run generate */
export const scopes = [
  ['records:read', 'Read accounts, contacts, opportunities, pipelines, stages, users and activities'],
  ['records:write', 'Create and change accounts, contacts and opportunities'],
  ['records:delete', 'Delete, restore and merge accounts, contacts, opportunities and activities'],
  ['records:erase', 'Erase accounts, contacts, opportunities and activities, with their history'],
  ['activities:write', 'Create custom activities'],
  ['settings:write', 'Create, change and delete pipelines, stages and users who own records'],
  ['events:read', 'Read who changed what, and follow all changes'],
  ['chat', 'Use the chatbot and the demo request form'],
  ['webhook', 'Authenticate posts to the webhook triggers that select the key'],
] as const;
