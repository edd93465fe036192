import { createOrganization } from '@relata/auth';
import type { Db } from '@relata/db';
import { createLog } from '@relata/runtime';
import { createTestDatabase } from '@relata/testing';
import { type Asker, type Reservation, TokenBudget, type TokenBudgetOptions } from './token-budget.ts';

/** A budget that waits longer than usual for the database, since a busy machine may stall for seconds. */
class PatientBudget extends TokenBudget {
  override reserve(asker: Asker, tokens: number, maxMs = 60_000): Promise<Reservation | undefined> {
    return super.reserve(asker, tokens, maxMs);
  }
}

/** Opens budgets on their own database, and collects their log lines. */
export async function openTestBudgets() {
  const stack = new AsyncDisposableStack();
  const { database } = stack.use(await createTestDatabase());
  const logLines: string[] = [];
  const destination = { write: (line: string) => void logLines.push(line) };
  const log = stack.use(createLog({ name: 'test', level: 'info', destination }));
  const open = (options: Partial<TokenBudgetOptions>) =>
    new PatientBudget({ db: database, daily: null, dailyPerIp: null, secret: 'sk-secret', log, ...options });
  /** Returns a wrapper of the database that counts the statements that add tokens. */
  const counting = () => {
    const db: Db & { statements: number } = {
      statements: 0,
      query: (prepared, values) => {
        db.statements += Number(prepared.name === 'chat_usage.add');
        return database.query(prepared, values);
      },
    };
    return db;
  };
  return {
    db: database,
    open,
    counting,
    logLines,
    organization: async () => (await createOrganization(database, 'Acme')).id,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
