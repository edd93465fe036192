import { expect, test } from 'vitest';
import { freePorts, onFreePort } from './free-port.ts';

test('free ports requested together all differ', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
});

test('a server whose port was taken meanwhile is started on another port', async () => {
  const tried: number[] = [];
  const { port } = await onFreePort(undefined, async (candidate) => {
    tried.push(candidate);
    if (tried.length < 3) throw new Error('could not bind: Address already in use');
  });
  expect(tried).toHaveLength(3);
  expect(port).toBe(tried[2]);
});

test('a given port is never replaced by another', async () => {
  const start = async () => Promise.reject(new Error('Address already in use'));
  await expect(onFreePort(4321, start)).rejects.toThrow('in use');
});
