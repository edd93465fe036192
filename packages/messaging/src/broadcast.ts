import { z } from 'zod';

/** A message that every other process may receive and none must: it only makes something happen sooner. */
export interface Broadcast<Message> {
  subject: string;
  schema: z.ZodType<Message>;
}

/** A key was revoked, rotated or changed: drop what is cached of it. */
export const keyChanged: Broadcast<{ hash: string }> = {
  subject: 'keys.changed',
  schema: z.object({ hash: z.string().max(200) }),
};

/** Most keys that one message counts; a replica that has more publishes several. */
export const limitKeysMax = 1_000;

/** Limits are named by the code, keys are ids and addresses. */
const limitNameMax = 100;
const limitKeyMax = 256;

const counts = z
  .record(z.string().max(limitKeyMax), z.int())
  .refine((given) => Object.keys(given).length <= limitKeysMax, `counts more than ${limitKeysMax} keys`);

/** What one process let through since its last message, by limit and by key; others count it as their own. Negative where requests came to nothing after all. */
export const limitConsumed: Broadcast<{ limit: string; counts: Record<string, number> }> = {
  subject: 'limits.consumed',
  schema: z.object({ limit: z.string().max(limitNameMax), counts }),
};

/** A trigger, its secrets, its assignments or a workflow of it changed: drop what is cached of these triggers. */
export const triggersChanged: Broadcast<{ ids: string[] }> = {
  subject: 'triggers.changed',
  schema: z.object({ ids: z.array(z.string()).max(10_000) }),
};

/** Organizations that one message names; a process in which more wrote publishes several. */
export const writtenOrganizationsMax = 1_000;

/** Events of these organizations were committed: who waits for some looks now. */
export const eventsWritten: Broadcast<{ orgIds: string[] }> = {
  subject: 'events.written',
  schema: z.object({ orgIds: z.array(z.string().max(100)).max(writtenOrganizationsMax) }),
};
