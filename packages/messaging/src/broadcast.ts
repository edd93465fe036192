import { z } from 'zod';

/** A message to all other processes. A process may miss it, so it must only make something happen sooner. */
export interface Broadcast<Message> {
  subject: string;
  schema: z.ZodType<Message>;
}

/** A key was revoked, rotated or changed: drop its cached entry. */
export const keyChanged: Broadcast<{ hash: string }> = {
  subject: 'keys.changed',
  schema: z.object({ hash: z.string().max(200) }),
};

/** Maximum number of keys in one message; a replica with more keys publishes several messages. */
export const limitKeysMax = 1_000;

/** Maximum lengths in characters: names of limits come from the code, keys are ids and addresses. */
const limitNameMax = 100;
const limitKeyMax = 256;

const counts = z
  .record(z.string().max(limitKeyMax), z.int())
  .refine((given) => Object.keys(given).length <= limitKeysMax, `counts more than ${limitKeysMax} keys`);

/**
 * Requests to one limit that a process has admitted since its last message, by key; other processes add them to their
 * own counts. A count is negative if requests were taken back.
 */
export const limitConsumed: Broadcast<{ limit: string; counts: Record<string, number> }> = {
  subject: 'limits.consumed',
  schema: z.object({ limit: z.string().max(limitNameMax), counts }),
};

/**
 * A trigger, its secrets, its assignments or one of its workflows changed: drop the cached entries of these triggers.
 */
export const triggersChanged: Broadcast<{ ids: string[] }> = {
  subject: 'triggers.changed',
  schema: z.object({ ids: z.array(z.string()).max(10_000) }),
};

/** Maximum number of organizations in one message; a process that wrote for more publishes several messages. */
export const writtenOrganizationsMax = 1_000;

/** Events of these organizations were committed: readers that wait for events read them now. */
export const eventsWritten: Broadcast<{ orgIds: string[] }> = {
  subject: 'events.written',
  schema: z.object({ orgIds: z.array(z.string().max(100)).max(writtenOrganizationsMax) }),
};
