import { expect, test } from 'vitest';
import { Backlog, type RunHint } from './backlog.ts';

const always = () => true;

/** Takes up to `count` hints, and returns the ids of their runs. */
function takeIds(backlog: Backlog, count: number, mayTake: (orgId: string) => boolean = always): string[] {
  return Array.from({ length: count }, () => backlog.take(mayTake)?.[1]).filter((id) => id !== undefined);
}

test('an organization that exceeds its share delays no other organization, and is remembered as having further runs', () => {
  const backlog = new Backlog();
  backlog.add(Array.from({ length: 5_000 }, (_, at): RunHint => ['flood', `f${at}`]));
  backlog.add([['other', 'o']]);
  expect(backlog.size).toBe(1_025);
  expect(backlog.take((orgId) => orgId === 'other')).toEqual(['other', 'o']);
  expect(backlog.takeOrganization(() => false)).toBeUndefined();
  expect([backlog.takeOrganization(always), backlog.takeOrganization(always)]).toEqual(['flood', undefined]);
});

test('organizations take turns, and the hints of each keep their order', () => {
  const backlog = new Backlog();
  const hints: RunHint[] = [
    ['a', '1'],
    ['a', '2'],
    ['a', '3'],
    ['b', '4'],
  ];
  backlog.add(hints);
  expect(takeIds(backlog, 3)).toEqual(['1', '4', '2']);
  expect(takeIds(backlog, 3)).toEqual(['3']);
});

test('due runs come before all other runs of their organization, take turns with other organizations, and are taken once', () => {
  const backlog = new Backlog();
  backlog.add([['a', 'new']]);
  backlog.addDue([
    ['a', '1'],
    ['a', '2'],
    ['b', '3'],
    ['a', '1'],
  ]);
  expect(backlog.size).toBe(4);
  expect(takeIds(backlog, 10, (orgId) => orgId === 'b')).toEqual(['3']);
  expect(takeIds(backlog, 10)).toEqual(['1', '2', 'new']);
  backlog.addDue([['a', '1']]);
  expect(takeIds(backlog, 10)).toEqual(['1']);
});

test('a workflow with a limit that is added several times is taken once, as soon as its organization has room', () => {
  const backlog = new Backlog();
  const [first, second] = [
    { org_id: 'a', workflow_id: 'w' },
    { org_id: 'b', workflow_id: 'w' },
  ];
  backlog.addWorkflows([first, second, first]);
  expect(backlog.takeWorkflow((orgId) => orgId === 'b')).toEqual(second);
  expect([backlog.takeWorkflow(always), backlog.takeWorkflow(always)]).toEqual([first, undefined]);
});
