import { z } from 'zod';

/** Permissions of an API key. A key has any set of them. */
export const scopes = {
  'records:read': 'Read accounts, contacts, opportunities, pipelines, stages, users and activities',
  'records:write': 'Create and change accounts, contacts and opportunities',
  'records:delete': 'Delete, restore and merge accounts, contacts, opportunities and activities',
  'records:erase': 'Erase accounts, contacts, opportunities and activities, with their history',
  'activities:write': 'Create custom activities',
  'settings:write': 'Create, change and delete pipelines, stages and users who own records',
  'events:read': 'Read who changed what, and follow all changes',
  chat: 'Use the chatbot and the demo request form',
  webhook: 'Authenticate posts to the webhook triggers that select the key',
} as const;

export type Scope = keyof typeof scopes;

export const scopeNames = Object.keys(scopes) as [Scope, ...Scope[]];

export const ScopeName = z.enum(scopeNames);
