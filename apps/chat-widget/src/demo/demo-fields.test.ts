import { expect, test } from 'vitest';
import { demoBody, demoInput, demoProblems } from './demo-fields.ts';

test("only known fields of a model's input are accepted, as storable text", () => {
  const made = JSON.parse(
    '{"name":"A\\u0000da\\ud800","work_email":7,"crm":"","extra":"x","__proto__":{"company":"x"}}',
  );
  expect(demoInput(made)).toEqual({ name: 'Ada\ufffd' });
  expect(demoInput(JSON.parse('{"use_case":null,"message":["x"],"team_size":{"a":1}}'))).toEqual({});
});

test("a field is cut at the service's limit", () => {
  expect(demoInput({ name: 'x'.repeat(300) }).name).toHaveLength(255);
});

test('the body is trimmed, and leaves out empty fields', () => {
  expect(demoBody({ name: ' Ada ', work_email: 'ada@a.example ', company: '  ', crm: '' })).toEqual({
    name: 'Ada',
    work_email: 'ada@a.example',
  });
});

test.each([
  [{}, ['name', 'work_email']],
  [{ name: 'Ada', work_email: 'ada' }, ['work_email']],
  [{ name: 'Ada', work_email: 'ada@' }, ['work_email']],
  [{ name: 'Ada', work_email: 'ada@a..example' }, ['work_email']],
  [{ name: 'Ada', work_email: `${'a.'.repeat(1_000)}@b` }, ['work_email']],
  [{ name: 'Ada', work_email: 'ada+crm@robotics.example' }, []],
])('the errors of %j are shown at %j', (body, fields) => {
  expect(Object.keys(demoProblems(body))).toEqual(fields);
});
