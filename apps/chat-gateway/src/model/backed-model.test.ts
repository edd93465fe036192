import { createMetrics, createLog, Slots } from '@relata/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatMetrics } from '../chat/chat.metrics.ts';
import { backedModel } from './backed-model.ts';
import { CircuitBreakers } from './circuit-breaker.ts';
import { streamingModel } from './streaming-model.ts';
import { openTestBudgets } from './token-budget.harness.ts';

let budgets: Awaited<ReturnType<typeof openTestBudgets>>;
beforeAll(async () => void (budgets = await openTestBudgets()));
afterAll(() => budgets[Symbol.asyncDispose]());

test('a visitor who leaves while tokens are reserved costs nothing, and the model is not asked', async () => {
  const asker = { orgId: await budgets.organization(), ip: '192.0.2.1' };
  const left = new AbortController();
  const { db } = budgets;
  const leaving: typeof budgets.db = Object.assign(Object.create(db) as typeof db, {
    query: (...given: Parameters<typeof db.query>) => {
      left.abort(new Error('left'));
      return db.query(...given);
    },
  });
  await using budget = budgets.open({ db: leaving, daily: 10_000 });
  let asked = 0;
  const first = streamingModel({ provider: 'test', modelId: 'first' }, () => {
    asked++;
    return Promise.reject(new Error('asked'));
  });
  const { model } = backedModel({
    first,
    second: first,
    asker,
    budget,
    breakers: new CircuitBreakers(() => {}),
    fallbacks: new Slots(1),
    promptTokens: 9_000,
    outputTokens: 1_000,
    firstTokenMs: 1_000,
    stallMs: 1_000,
    metrics: chatMetrics(createMetrics('test')),
    log: createLog({ name: 'test', level: 'silent' }),
  });
  await expect(model.doStream({ prompt: [], abortSignal: left.signal })).rejects.toThrow('left');
  expect(asked).toBe(0);
  expect(await budget.reserve(asker, 10_000)).toBeDefined();
});
