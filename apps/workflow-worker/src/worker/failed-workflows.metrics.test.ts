import { createMetrics } from '@relata/runtime';
import { expect, test } from 'vitest';
import { measureFailedWorkflows } from './failed-workflows.metrics.ts';

function measured() {
  const metrics = createMetrics('test');
  const clock = { ms: 1_000_000 };
  const note = measureFailedWorkflows(metrics, () => clock.ms);
  const series = async () => {
    const text = await metrics.getSingleMetricAsString('workflow_last_failed_run_timestamp_seconds');
    return [...text.matchAll(/workflow="([^"]*)".*\} (\d+)$/gm)].map(([, workflow, at]) => [workflow, Number(at)]);
  };
  return { clock, note, series };
}

test('a workflow with a failed run has its own series for an hour (found D7)', async () => {
  const { clock, note, series } = measured();
  note('a');
  clock.ms += 60_000;
  note('b');
  expect(await series()).toEqual([
    ['a', 1_000],
    ['b', 1_060],
  ]);
  clock.ms += 3_599_000;
  expect(await series()).toEqual([['b', 1_060]]);
});

test('however many workflows fail, there are at most 21 series (found D7)', async () => {
  const { note, series } = measured();
  for (let at = 0; at < 500; at++) note(`workflow-${at}`);
  const names = (await series()).map(([name]) => name);
  expect(names).toHaveLength(21);
  expect(names.at(-1)).toBe('other');
});
