import type { Log } from '@relata/runtime';
import type { ClientBudget } from './client-budget.ts';
import type { Reservation, TokenBudget } from './token-budget.ts';

/** For whom tokens are spent. */
export interface Asker {
  orgId: string;
  /** The client's. */
  ip: string;
}

export interface Budgets {
  /** Of an organization; null for no bound. */
  budget: TokenBudget | null;
  /** Of each of its clients; null for no bound. */
  clientBudget: ClientBudget | null;
}

/** A database that hangs must not keep visitors waiting. */
const reserveMaxMs = 3_000;

const unlimited: Reservation = { settle: () => {} };

/** Sets tokens of the client and of the organization aside; undefined where either has none, or that is not known in time. */
export async function reserveTokens(
  { budget, clientBudget }: Budgets,
  { orgId, ip }: Asker,
  tokens: number,
  log: Log,
): Promise<Reservation | undefined> {
  let own: Reservation | undefined;
  try {
    own = clientBudget ? await clientBudget.reserve(orgId, ip, tokens, reserveMaxMs) : unlimited;
    if (!own) log.info({ org_id: orgId }, 'the daily tokens of one client are used up; the built-in model answers it');
    const all = own && (budget ? await budget.reserve(orgId, tokens, reserveMaxMs) : unlimited);
    if (own && !all) log.info({ org_id: orgId }, 'the daily tokens are used up; the built-in model answers');
    if (own && all) return both(own, all);
  } catch (err) {
    log.warn({ err, org_id: orgId }, 'the daily tokens could not be counted; the built-in model answers');
  }
  own?.settle(0);
  return undefined;
}

function both(one: Reservation, other: Reservation): Reservation {
  return {
    settle(tokens) {
      one.settle(tokens);
      other.settle(tokens);
    },
  };
}
