import { expect, test } from 'vitest';
import { unsetEmptyVariables } from './environment.ts';

test('empty variables are taken out of the environment, and no others', () => {
  const environment = { EMPTY: '', ZERO: '0', SPACE: ' ', NAME: 'x' };
  unsetEmptyVariables(environment);
  expect(environment).toEqual({ ZERO: '0', SPACE: ' ', NAME: 'x' });
});
