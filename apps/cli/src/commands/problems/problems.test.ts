import { statement } from '@relata/db';
import { expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';
import { type Assigned, deliver, makeAssigned } from '../deliveries/deliveries.harness.ts';

const cli = setUpCli();

/** Stores `runs` failed runs, whose error codes are spread evenly over `codes` different codes. */
async function failMany({ orgId, workflowId, triggerId }: Assigned, runs: number, codes: number): Promise<void> {
  const acme = { orgId, workflowId, triggerId };
  const { id: deliveryId } = await deliver(cli.database(), acme, '{}');
  const failMany = statement<never>(
    'test.fail_many',
    `INSERT INTO workflow_runs (org_id, id, workflow_id, version, delivery_id, trigger_id, replay, inputs, status,
       error, finished_at)
     SELECT $1, gen_random_uuid(), $2, 1, $3, $4, n, '{}', 'failed',
       json_build_object('step', 'tell', 'code', 'code_' || n % $6, 'message', 'No.'), now() - interval '1 second'
     FROM generate_series(1, $5) n`,
  );
  await cli.owner().query(failMany, [orgId, workflowId, deliveryId, triggerId, runs, codes]);
}

test('a list of problems says if there are more, and how far back it has looked', async () => {
  const [few, many] = [await makeAssigned(cli.database()), await makeAssigned(cli.database())];
  await failMany(few, 100, 100);
  await failMany(many, 10_001, 101);
  const list = ({ orgId }: Assigned) => cli.run(['problems', 'list', '--org', orgId, '--json']);
  expect(await list(few)).toMatchObject({ code: 0, stderr: '' });
  const { code, stdout, stderr } = await list(many);
  expect({ code, shown: JSON.parse(stdout).length }).toEqual({ code: 0, shown: 100 });
  expect(stderr).toMatch(
    /^relata: There are more problems\. Only the 100 most frequent are shown\.\nrelata: Only failures since \d{4}\S+Z were examined\.\n$/,
  );
});
