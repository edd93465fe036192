import { z } from 'zod';

/** A message that every other process may hear and none must: it only makes something come about sooner. */
export interface Broadcast<Message> {
  subject: string;
  schema: z.ZodType<Message>;
}

/** A key was revoked, rotated or changed: forget what is remembered of it. */
export const keyChanged: Broadcast<{ hash: string }> = {
  subject: 'keys.changed',
  schema: z.object({ hash: z.string() }),
};

/** What one process let through since it last said so, by limit and by key; others count it as their own. Less than none where requests came to nothing after all. */
export const limitConsumed: Broadcast<{ limit: string; counts: Record<string, number> }> = {
  subject: 'limits.consumed',
  schema: z.object({ limit: z.string(), counts: z.record(z.string(), z.int()) }),
};

/** A trigger, its secrets, its assignments or a workflow of it changed: forget what is remembered of these triggers. */
export const triggersChanged: Broadcast<{ ids: string[] }> = {
  subject: 'triggers.changed',
  schema: z.object({ ids: z.array(z.string()).max(10_000) }),
};
