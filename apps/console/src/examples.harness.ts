import { createKey } from '@relata/auth';
import { firstIdAt, newId, type Statement } from '@relata/db';
import { noopBus } from '@relata/events';
import { inviteMember, makeResetLink, makeSetupLink } from '@relata/people';
import type { ConsoleSpec } from '@relata/schemas/console';
import { signingSettings } from '@relata/secrets/settings';
import { applyWorkflow, assignWorkflow, createTrigger, listAssignments } from '@relata/workflows';
import { findDelivery, replayDelivery } from '@relata/workflows/deliveries';
import { cancelRun, retryRuns } from '@relata/workflows/runs';
import { storeDeliveries, storeRefusals } from '@relata/workflows/intake';
import { RecordExamples } from './record-examples.harness.ts';

const setStatus: Statement<never> = {
  name: 'test.set_run_status',
  text: `UPDATE workflow_runs SET status = $2, finished_at = now() WHERE id = $1`,
};

const setFailed: Statement<never> = {
  name: 'test.set_runs_failed',
  text: `UPDATE workflow_runs SET status = 'failed', finished_at = now(), error = $3::json WHERE org_id = $1 AND id = ANY ($2)`,
};

/** The copies get ids with a timestamp in June 2024. */
const copyDelivery: Statement<never> = {
  name: 'test.copy_delivery',
  text: `INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers, received_at)
    SELECT org_id, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, trigger_id, body, headers,
      '2024-06-10T08:00:00Z'::timestamptz + make_interval(secs => n)
    FROM webhook_deliveries, generate_series(1, $2::integer) n WHERE id = $1`,
};

const setSucceeded: Statement<{ id: string }> = {
  name: 'test.set_queued_succeeded',
  text: `UPDATE workflow_runs SET status = 'succeeded', finished_at = now() WHERE org_id = $1 AND status = 'queued'
   RETURNING id`,
};

/** Fields of the run's error. */
export interface FailedOf {
  step?: string;
  code: string;
  message: string;
}

const definition = {
  name: 'inbound-lead',
  inputs: { email: { type: 'string', required: true } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } }],
};

export interface MadeRuns {
  triggerId: string;
  workflowId: string;
  deliveries: string[];
  ids: string[];
}

/** Creates the objects of an organization that tests of the console's operations need. */
export class Examples extends RecordExamples {
  get #context() {
    return { database: this.db.database, bus: noopBus };
  }

  async key(): Promise<string> {
    const scopes = ['records:read', 'webhook'] as const;
    return (await createKey(this.#context, this.actor, { kind: 'secret', scopes, name: 'Example' })).id;
  }

  async member(): Promise<string> {
    const invited = { email: `m${newId()}@acme.example`, name: 'Some Body', role: 'viewer' } as const;
    return (await inviteMember(this.#context, this.actor, invited)).member.id;
  }

  /** Publishes a definition, by default that of the workflow that `trigger` starts. Returns the id of the workflow. */
  async workflow(of: unknown = definition): Promise<string> {
    return (await applyWorkflow(this.#context, this.actor, of)).applied.id;
  }

  /** Publishes a changed version of the workflow that `trigger` starts, and returns its version number. */
  async publish(changed: object, note?: string): Promise<number> {
    const made = { ...definition, ...changed };
    return (await applyWorkflow(this.#context, this.actor, made, { note })).applied.version;
  }

  /** Creates a trigger that starts a workflow. */
  async trigger(): Promise<string> {
    const workflowId = await this.workflow();
    const triggerId = await this.emptyTrigger();
    const inputs = { email: 'payload.email' };
    await assignWorkflow(this.#context, this.actor, { triggerId, workflowId, inputs });
    return triggerId;
  }

  /** Creates a trigger that starts nothing. */
  async emptyTrigger(name = 'Form'): Promise<string> {
    return (await createTrigger(this.#context, this.actor, { name })).trigger.id;
  }

  /** Creates a trigger whose sender checks the URL with a verify token. */
  async triggerWithToken(): Promise<string> {
    const keys = signingSettings.SIGNING_KEYS.parse(`${'k'.repeat(43)}=`)!;
    const made = { name: 'Leads', signature: { kind: 'meta' }, secretFollows: true } as const;
    return (await createTrigger(this.#context, this.actor, made, keys)).trigger.id;
  }

  async delivery(): Promise<string> {
    return this.deliver(await this.trigger(), '{"email":"ada@acme.example"}');
  }

  /** Stores deliveries to a trigger one by one, as the receiver stores deliveries that start no run. */
  async deliveries(triggerId: string, count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await this.deliver(triggerId, '{"email":"ada@acme.example"}'));
    return ids;
  }

  /** Stores deliveries in past hours: `counts[0]` deliveries one hour ago, `counts[1]` two hours ago, and so on. */
  async deliveriesBefore(triggerId: string, counts: readonly number[]): Promise<void> {
    const hours = counts.flatMap((count, at) => Array.from({ length: count }, () => at + 1));
    const idOf = (hour: number) => firstIdAt(Date.now() - hour * 3_600_000).slice(0, 18) + newId().slice(18);
    for (const hour of hours) await this.deliver(triggerId, '{}', {}, idOf(hour));
  }

  /** Stores many deliveries to a trigger now, with one statement. */
  async burst(triggerId: string, count: number): Promise<void> {
    const stored = { orgId: this.orgId, triggerId, keyHash: undefined, headers: {}, skipped: [], runs: [] };
    const body = Buffer.from('{}');
    await storeDeliveries(
      this.db.database,
      Array.from({ length: count }, () => ({ ...stored, id: newId(), body })),
    );
  }

  /** Stores a post to a trigger. */
  async deliver(
    triggerId: string,
    body: string | Buffer,
    headers: Record<string, string> = { a: 'b' },
    id = newId(),
  ): Promise<string> {
    const stored = { orgId: this.orgId, id, triggerId, keyHash: undefined, headers, skipped: [], runs: [] };
    await storeDeliveries(this.db.database, [{ ...stored, body: Buffer.from(body) }]);
    return stored.id;
  }

  /** Stores deliveries that lack the input `email` of the trigger's workflow. */
  async refuseStarts(triggerId: string, bodies: readonly string[]): Promise<string[]> {
    const [{ workflow_id } = { workflow_id: '' }] = await listAssignments(this.db.database, this.orgId, triggerId);
    const message = 'input "email" (from payload.email) is required';
    const problem = { input: 'email', field: 'payload.email', code: 'required', message } as const;
    const stored = { orgId: this.orgId, triggerId, keyHash: undefined, headers: {}, runs: [] };
    const deliveries = bodies.map((body) => ({
      ...stored,
      id: newId(),
      body: Buffer.from(body),
      skipped: [{ workflow_id, reason: 'refused' as const, problems: [problem] }],
    }));
    await storeDeliveries(this.db.database, deliveries);
    return deliveries.map(({ id }) => id);
  }

  /** Copies a delivery into the past, `count` times. */
  async copyDelivery(id: string, count: number): Promise<void> {
    await this.db.database.query(copyDelivery, [id, count]);
  }

  /** Publishes a workflow, and assigns it to a trigger with a filter and without inputs. */
  async assign(triggerId: string, of: unknown, filter: string): Promise<void> {
    const workflowId = await this.workflow(of);
    await assignWorkflow(this.#context, this.actor, { triggerId, workflowId, inputs: {}, filter });
  }

  /** Replays a delivery, and returns the runs that this starts. */
  async replay(deliveryId: string): Promise<string[]> {
    return (await replayDelivery(this.#context, this.actor, deliveryId)).runs;
  }

  /** Returns a stored delivery with the runs that it started. */
  async stored(deliveryId: string) {
    return (await findDelivery(this.db.database, this.orgId, deliveryId))!;
  }

  async run(status?: 'failed'): Promise<string> {
    const [id] = await this.replay(await this.delivery());
    if (status) await this.db.database.query(setStatus, [id, status]);
    return id!;
  }

  /** Creates queued runs of one trigger and workflow, each with its own delivery. Returns the oldest first. */
  async runs(count: number): Promise<MadeRuns> {
    const triggerId = await this.trigger();
    const [{ workflow_id: workflowId } = { workflow_id: '' }] = await listAssignments(
      this.db.database,
      this.orgId,
      triggerId,
    );
    const runOf = () => ({
      id: newId(),
      workflowId,
      version: 1,
      isLimited: false,
      inputs: '{"email":"ada@acme.example"}',
    });
    const stored = Array.from({ length: count }, () => ({
      orgId: this.orgId,
      id: newId(),
      triggerId,
      keyHash: undefined,
      headers: {},
      body: Buffer.from('{"email":"ada@acme.example"}'),
      skipped: [],
      runs: [runOf()],
    }));
    await storeDeliveries(this.db.database, stored);
    return {
      triggerId,
      workflowId,
      deliveries: stored.map(({ id }) => id),
      ids: stored.map(({ runs }) => runs[0]!.id),
    };
  }

  /** Marks runs as failed, as a worker does. */
  async fail(ids: readonly string[], error: FailedOf): Promise<void> {
    await this.db.database.query(setFailed, [this.orgId, ids, JSON.stringify(error)]);
  }

  /** Marks all queued runs as succeeded, and returns their number. */
  async succeedQueued(): Promise<number> {
    return (await this.db.database.query(setSucceeded, [this.orgId])).length;
  }

  /** Retries a run, as another person would. */
  async requeue(failed: string): Promise<void> {
    await retryRuns(this.#context, this.actor, [failed]);
  }

  /** Cancels a run, as another person would. */
  async cancel(run: string): Promise<void> {
    await cancelRun(this.#context, this.actor, run);
  }

  /** Stores posts that a trigger, by default a new one, refused. Every second post has the right secret. */
  async refusals(count: number, given?: string): Promise<{ triggerId: string; ids: string[] }> {
    const triggerId = given ?? (await this.trigger());
    const refused = Array.from({ length: count }, (_, at) => ({
      orgId: this.orgId,
      id: newId(),
      triggerId,
      refusedAt: new Date(),
      isAuthorized: at % 2 === 0,
      status: at % 2 === 0 ? 400 : 401,
      reason: at % 2 === 0 ? 'invalid_input' : 'unauthorized',
      message: at % 2 === 0 ? 'The input "email" is required.' : 'The secret is wrong.',
      field: at % 2 === 0 ? 'email' : undefined,
      bytes: 12,
      address: '203.0.113.7',
      body: at % 2 === 0 ? Buffer.from('{"mail":"a"}') : undefined,
    }));
    const reasons = ['invalid_input', 'unauthorized'] as const;
    const counts = reasons.map((reason) => ({
      orgId: this.orgId,
      triggerId,
      reason,
      refused: refused.filter((post) => post.reason === reason).length,
    }));
    await storeRefusals(this.db.database, refused, counts);
    return { triggerId, ids: refused.map(({ id }) => id) };
  }

  async link(): Promise<string> {
    return (await makeSetupLink(this.#context)).token;
  }

  async invitation(email: string): Promise<string> {
    const invited = { email, name: 'Some New', role: 'member' } as const;
    return (await inviteMember(this.#context, this.actor, invited)).link.token;
  }

  async resetLink(email: string): Promise<string> {
    return (await makeResetLink(this.#context, email)).token;
  }

  /** Creates an object for the `{id}` in an operation's path, and returns its id. */
  idFor({ id, path }: ConsoleSpec): Promise<string> {
    const kinds = {
      keys: () => this.key(),
      members: () => this.member(),
      triggers: () => (id === 'replaceVerifyToken' ? this.triggerWithToken() : this.trigger()),
      deliveries: () => this.delivery(),
      runs: () => (id === 'judgeRetry' ? this.run('failed') : this.run()),
      workflows: () => this.workflow(),
      trash: () => this.trashed(),
      records: () => this.trashed(),
    };
    const [, kind] = /\/orgs\/\{org\}\/(\w+)\/\{id\}/.exec(path)!;
    return kinds[kind as keyof typeof kinds]();
  }
}
