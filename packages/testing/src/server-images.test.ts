import { expect, test } from 'vitest';
import { imageOf } from './server-images.ts';

test('containers of tests are of the images that Compose names, or of those that its variables name', () => {
  expect(imageOf('POSTGRES_IMAGE', {})).toMatch(/^postgres:\d+\.\d+$/);
  expect(imageOf('NATS_IMAGE', { NATS_IMAGE: '' })).toMatch(/^nats:\d+\.\d+\.\d+-alpine$/);
  expect(imageOf('NATS_IMAGE', { NATS_IMAGE: 'nats:2' })).toBe('nats:2');
});
