import { expect } from 'vitest';

/**
 * Matches a list of one string with integer parameters, as strictly as RFC 9651 demands. The headers use only this
 * form.
 */
const item = /^"(?<name>[ !#-[\]-~]*)"(?<parameters>(?:; *[a-z*][a-z0-9_.*-]*=-?\d{1,15})+)$/;

interface Field {
  name: string;
  parameters: Record<string, number>;
}

function parseField(field: string | null): Field {
  const { name, parameters } = item.exec(field ?? '')?.groups ?? {};
  if (name === undefined) throw new Error(`Expected a string with integer parameters (RFC 9651), received: ${field}`);
  const pairs = parameters!.split(';').slice(1);
  const entries = pairs.map((pair) => pair.trim().split('='));
  return { name, parameters: Object.fromEntries(entries.map(([key, value]) => [key!, Number(value)])) };
}

/** Checks that both forms of the rate-limit headers are present and agree. */
export function expectRateLimit(headers: Headers): void {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers.get(`ratelimit-${name}`);
    expect(value).toMatch(/^\d+$/);
    return Number(value);
  });
  const policy = parseField(headers.get('ratelimit-policy'));
  const left = parseField(headers.get('ratelimit'));
  expect(left).toEqual({ name: policy.name, parameters: { r: remaining, t: reset } });
  expect(policy.parameters).toEqual({ q: limit, w: expect.any(Number) });
  expect(policy.parameters['w']).toBeGreaterThanOrEqual(reset!);
}
