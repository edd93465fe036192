import { QueueFullError } from '@relata/runtime';
import { expect, test } from 'vitest';
import { ByteBudget, type HeldBytes } from './byte-budget.ts';

const megabyte = 1_048_576;

/** Tries to take bytes; returns true if there was room for them. */
function takes(held: HeldBytes, bytes: number): boolean {
  try {
    held.take(bytes);
    return true;
  } catch (error) {
    if (error instanceof QueueFullError) return false;
    throw error;
  }
}

/** Opens an account for each of 40 clients of an organization. */
const clientsOf = (budget: ByteBudget) =>
  Array.from({ length: 40 }, (_, client) => budget.hold(['org', `client ${client}`]));

test('large bodies that use up the share of an organization leave room for its small ones', () => {
  const budget = new ByteBudget(16 * megabyte);
  expect(clientsOf(budget).filter((client) => takes(client, megabyte))).toHaveLength(8);
  const visitor = budget.hold(['org', 'visitor']);
  expect([takes(visitor, 32_768), takes(visitor, megabyte)]).toEqual([true, false]);
  visitor.giveBack();
  expect(takes(visitor, 32_768)).toBe(true);
});

test('the budget for beginnings of bodies is limited, too, and each client has a share of it', () => {
  const budget = new ByteBudget(4 * megabyte);
  const bodiesOf = (client: string) =>
    Array.from({ length: 100 }, () => budget.hold(['org', client])).filter((held) => takes(held, 32_768)).length;
  // An organization gets half of 2 MB. Within it, each client may take as much as it leaves free.
  expect([bodiesOf('one'), bodiesOf('another')]).toEqual([16, 8]);
});

test('a refused body takes no bytes, and a released one gives all of its bytes back', () => {
  const budget = new ByteBudget(16 * megabyte);
  const rounds = Array.from({ length: 40 }, () => {
    const taken = clientsOf(budget).filter((client) => takes(client, megabyte));
    for (const held of taken) {
      held.giveBack(megabyte - 10);
      held[Symbol.dispose]();
    }
    return taken.length;
  });
  expect(new Set(rounds)).toEqual(new Set([8]));
  expect(budget.held).toBe(0);
});
