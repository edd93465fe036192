import { expect, test } from 'vitest';
import { freeName, nameIn, withName } from './workflow-name.ts';

test('for a name that is taken, the same name with the first free number is offered (found B15)', () => {
  expect(freeName('inbound-lead', ['inbound-lead'])).toBe('inbound-lead-2');
  expect(freeName('inbound-lead-2', ['inbound-lead', 'inbound-lead-2'])).toBe('inbound-lead-3');
});

test('changing the name leaves the rest of the text as it was typed (found B15)', () => {
  const text = '{ "name" :  "inbound-lead",\n\n "steps": [{"n": 1.0}] }';
  expect(withName(text, 'inbound-lead-2')).toBe('{ "name" :  "inbound-lead-2",\n\n "steps": [{"n": 1.0}] }');
  expect(nameIn(withName('{"steps":[{"name":"other"}],"name":"inbound-lead"}', 'free'))).toBe('free');
  expect(nameIn('{"name":')).toBeUndefined();
});
