import { generateCredential, hashCredential } from '@relata/auth';
import type { Database } from '@relata/db';
import { insertTrigger, type Definition } from '@relata/workflows';

/** A workflow with an input that must be given and one that need not. */
export const inboundLead = {
  name: 'inbound-lead',
  inputs: { email: { type: 'string', format: 'email', required: true }, source: { type: 'string' } },
  steps: [
    { id: 'log', use: 'activity.create', with: { content: 'Form sent by ${{ inputs.email }}' } },
    { id: 'tell', use: 'channel.post', with: { text: 'A lead from ${{ inputs.source }}' } },
  ],
} satisfies Definition;

/** A trigger with a secret of its own. */
export function makeTrigger(database: Database, orgId: string) {
  const secret = generateCredential('trigger');
  const guard = { secret: { hash: hashCredential(secret), lastFour: secret.slice(-4) } };
  return database.transaction(async (db) => ({
    ...(await insertTrigger(db, orgId, { name: 'Web form', ...guard })),
    secret,
  }));
}
