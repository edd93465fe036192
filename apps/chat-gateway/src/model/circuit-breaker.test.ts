import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CircuitBreakers } from './circuit-breaker.ts';

let opened: string[];
let breakers: CircuitBreakers;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  opened = [];
  breakers = new CircuitBreakers((orgId) => opened.push(orgId));
});
afterEach(() => vi.useRealTimers());

const ask = (client: number, orgId = 'acme') => breakers.attempt({ orgId, ip: `192.0.2.${client}` });

function fail(clients: number, orgId?: string): void {
  for (let client = 1; client <= clients; client++) ask(client, orgId)!.failed();
}

test('failed questions of five clients in a row open the circuit of their organization, and of no other, for ten seconds', () => {
  fail(4);
  expect(ask(5)).toBeDefined();
  fail(5);
  expect(ask(6)).toBeUndefined();
  expect(ask(6, 'globex')).toBeDefined();
  vi.advanceTimersByTime(9_999);
  expect(ask(6)).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect(ask(6)).toBeDefined();
  expect(opened).toEqual(['acme']);
});

test('a single client never opens the circuit, however often its questions fail', () => {
  for (let times = 0; times < 100; times++) ask(1)!.failed();
  expect(ask(2)).toBeDefined();
});

test('the networks of one IPv6 site are one client', () => {
  for (let network = 0; network < 10; network++)
    breakers.attempt({ orgId: 'acme', ip: `2001:db8:0:${network}::/64` })!.failed();
  expect(ask(2)).toBeDefined();
});

test('a successful answer in between resets the count', () => {
  fail(4);
  ask(9)!.answered();
  fail(4);
  expect(ask(5)).toBeDefined();
});

test('after the pause, one question tries the model: a failure begins a new pause, an answer closes the circuit', () => {
  fail(5);
  vi.advanceTimersByTime(10_000);
  const trial = ask(6)!;
  expect(ask(7)).toBeUndefined();
  trial.failed();
  expect(ask(7)).toBeUndefined();
  vi.advanceTimersByTime(10_000);
  ask(7)!.answered();
  expect([ask(8), ask(9)]).not.toContain(undefined);
});

test('if the visitor whose question tries the model leaves, another question tries it', () => {
  fail(5);
  vi.advanceTimersByTime(10_000);
  ask(6)!.abandoned();
  expect(ask(7)).toBeDefined();
});

test('a question asked before the pause closes the circuit if it is answered eventually', () => {
  const slow = ask(9)!;
  fail(5);
  slow.answered();
  expect(ask(1)).toBeDefined();
});

test('questions asked before the pause extend it if they fail later', () => {
  const slow = ask(9)!;
  fail(5);
  vi.advanceTimersByTime(9_000);
  slow.failed();
  vi.advanceTimersByTime(9_999);
  expect(ask(1)).toBeUndefined();
  expect(opened).toEqual(['acme']);
});
