import { expect, test } from 'vitest';
import { serverImage } from './server-images.ts';

test('containers of tests use the images in the Compose file, or in its variables', () => {
  expect(serverImage('POSTGRES_IMAGE', {})).toMatch(/^postgres:\d+\.\d+$/);
  expect(serverImage('NATS_IMAGE', { NATS_IMAGE: '' })).toMatch(/^nats:\d+\.\d+\.\d+-alpine$/);
  expect(serverImage('NATS_IMAGE', { NATS_IMAGE: 'nats:2' })).toBe('nats:2');
});
