import { createOrganization } from '@relata/auth';
import { type Db, newId, openDatabase, statement } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { createOutboundGuard, DnsLookups, outboundAllowSetting } from '@relata/outbound';
import { createLog } from '@relata/runtime';
import { notifySettings } from '@relata/secrets';
import { createTestDatabase, type TeamChannel } from '@relata/testing';
import { applyWorkflow, createTrigger } from '@relata/workflows';
import { storeDeliveries } from '@relata/workflows/intake';
import { findNotifyChannel, Notifier, type NotifierOptions, setNotifyChannel } from './index.ts';

const keys = notifySettings.NOTIFY_KEYS.parse(Buffer.alloc(32, 7).toString('hex'))!;

const fail = statement<never>(
  'test.fail_runs',
  `UPDATE workflow_runs SET status = 'failed', finished_at = now(), error = $3::json WHERE org_id = $1 AND id = ANY ($2::uuid[])`,
);

export type StartOptions = Partial<Omit<NotifierOptions, 'database'>> & { logLines?: string[] };

/** Opens a database, in which a test can create organizations and make their runs fail. */
export async function openNotices() {
  const stack = new AsyncDisposableStack();
  const { database, owner, url } = stack.use(await createTestDatabase());
  const context = { database, bus: noopBus };

  const addOrganization = async (name: string, channel?: Pick<TeamChannel, 'url'>) => {
    const { id: orgId } = await createOrganization(database, name);
    const actor = operatorActor(orgId, 'test');
    const set = ({ url: given }: { url: string }) =>
      setNotifyChannel(context, actor, { url: given, kind: 'slack' }, keys);
    if (channel) await set(channel);
    const { trigger } = await createTrigger(context, actor, { name: 'Form' });
    const apply = async (workflow: string) => {
      const steps = [{ id: 'log', use: 'activity.create', with: { content: 'a' } }];
      return (await applyWorkflow(context, actor, { name: workflow, steps })).applied.id;
    };
    const run = async (workflowId: string) => {
      const made = { id: newId(), workflowId, version: 1, isLimited: false, inputs: '{}' };
      const delivery = { orgId, id: newId(), triggerId: trigger.id, keyHash: undefined, body: Buffer.from('{}') };
      await storeDeliveries(database, [{ ...delivery, headers: {}, skipped: [], runs: [made] }]);
      return made.id;
    };
    const refuseStart = async (workflowId: string, input: string, db: Db = database) => {
      const problem = { input, field: `payload.${input}`, code: 'required', message: 'is required' } as const;
      const skipped = [{ workflow_id: workflowId, reason: 'refused' as const, problems: [problem] }];
      const delivery = { orgId, id: newId(), triggerId: trigger.id, keyHash: undefined, body: Buffer.from('{}') };
      await storeDeliveries(db, [{ ...delivery, headers: {}, skipped, runs: [] }]);
      return delivery.id;
    };
    const failRuns = (
      ids: string[],
      error: object = { step: 'log', code: 'bad_status', message: 'It answered 500.' },
    ) => database.query(fail, [orgId, ids, JSON.stringify(error)]);
    return {
      orgId,
      actor,
      triggerId: trigger.id,
      set,
      apply,
      run,
      failRuns,
      refuseStart,
      find: () => findNotifyChannel(database, orgId),
    };
  };

  /** Starts the notifier of a worker with connections of its own. */
  const start = ({ logLines, ...options }: StartOptions = {}) => {
    const own = stack.use(openDatabase({ url, name: 'notifier' }));
    const destination = { write: (line: string) => void logLines?.push(line) };
    const log = stack.use(createLog({ name: 'test', level: 'info', destination }));
    const guard = createOutboundGuard(outboundAllowSetting.parse('127.0.0.1/32'), new DnsLookups());
    const given = { database: own, log, keys, guard, consoleUrl: undefined, everyMs: 100, ...options };
    return stack.use(new Notifier(given).start());
  };

  return { database, owner, context, addOrganization, start, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export type Notices = Awaited<ReturnType<typeof openNotices>>;

/** Returns the texts that notifications of the posted messages show. */
export const textsOf = ({ bodies }: TeamChannel) => bodies.map((body) => (JSON.parse(body) as { text: string }).text);
