import { expect, test } from 'vitest';
import { unsetEmptyVariables } from './environment.ts';

test('removes only empty variables from the environment', () => {
  const environment = { EMPTY: '', ZERO: '0', SPACE: ' ', NAME: 'x' };
  unsetEmptyVariables(environment);
  expect(environment).toEqual({ ZERO: '0', SPACE: ' ', NAME: 'x' });
});
