import { openDatabase } from '@relata/db';
import { createTestTrigger, createTestOrganization, signIn } from '@relata/testbed/fixtures';
import { openAdmin } from '../servers.ts';

/** Number of sessions: enough that no session reaches its request limit. */
const sessions = 100;
const others = 10;
/** Number of triggers: the first five receive deliveries, and all have refused posts. */
const ownTriggers = 100;

/** A database with the bench's own organization, in which one person has many sessions, and ten other organizations. */
export type ConsoleDatabase = Awaited<ReturnType<typeof openConsoleDatabase>>;

const definition = {
  name: 'inbound-lead',
  inputs: { email: { type: 'string', format: 'email', required: true }, name: { type: 'string' } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'Form sent by ${{ inputs.email }}' } }],
};

export async function openConsoleDatabase(stack: AsyncDisposableStack, url: string) {
  const database = stack.use(openDatabase({ url, name: 'bench' }));
  const orgIds: string[] = [];
  for (let at = 0; at <= others; at++)
    orgIds.push((await createTestOrganization(database, `Organization ${at}`)).orgId);
  const [own, ...otherIds] = orgIds;
  const triggerIds: string[] = [];
  const inputs = { email: 'payload.user.email', name: 'payload.user.name' };
  let workflowId = '';
  for (let at = 0; at < ownTriggers; at++) {
    const target = await createTestTrigger(database, own!, { name: `Form ${at}`, assigned: [{ definition, inputs }] });
    triggerIds.push(target.triggerId);
    workflowId = target.workflowIds[0]!;
  }
  const otherTriggerIds: string[] = [];
  for (const orgId of otherIds) otherTriggerIds.push((await createTestTrigger(database, orgId)).triggerId);
  const cookies: string[] = [];
  while (cookies.length < sessions) cookies.push(await signIn(database, own!));
  return {
    url,
    admin: await openAdmin(stack, url),
    /** Ids of the organizations. The first is the bench's own. */
    orgIds,
    /** Triggers of the bench's own organization; the first has few deliveries, the next four many. */
    triggerIds,
    otherTriggerIds,
    /** The workflow that all triggers in `triggerIds` start. */
    workflowId,
    cookies,
  };
}
