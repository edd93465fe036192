import { type Db, statement } from '@relata/db';

const take = statement<{ tokens: string }>(
  'chat_usage.take',
  `INSERT INTO chat_usage AS used (org_id, day, tokens) VALUES ($1, $2, $3)
   ON CONFLICT (org_id, day) DO UPDATE SET tokens = used.tokens + excluded.tokens
   WHERE used.tokens + excluded.tokens <= $4
   RETURNING tokens`,
);

export interface TakenTokens {
  /** In UTC: `2026-01-31`. */
  day: string;
  tokens: number;
  /** All that the organization may take on that day. */
  most: number;
}

/** Takes tokens of an organization's day; false where fewer than that are left. */
export async function takeTokens(db: Db, orgId: string, { day, tokens, most }: TakenTokens): Promise<boolean> {
  return tokens <= most && (await db.query(take, [orgId, day, tokens, most])).length > 0;
}

const charge = statement<never>(
  'chat_usage.charge',
  `INSERT INTO chat_usage AS used (org_id, day, tokens) VALUES ($1, $2, $3)
   ON CONFLICT (org_id, day) DO UPDATE SET tokens = used.tokens + excluded.tokens`,
);

/** Charges tokens that are spent already, even beyond the budget. */
export async function chargeTokens(db: Db, orgId: string, { day, tokens }: Omit<TakenTokens, 'most'>): Promise<void> {
  await db.query(charge, [orgId, day, tokens]);
}

const giveBack = statement<never>(
  'chat_usage.give_back',
  'UPDATE chat_usage SET tokens = greatest(0, tokens - $3) WHERE org_id = $1 AND day = $2',
);

export async function returnTokens(db: Db, orgId: string, { day, tokens }: Omit<TakenTokens, 'most'>): Promise<void> {
  await db.query(giveBack, [orgId, day, tokens]);
}
