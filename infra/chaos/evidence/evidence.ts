import { type Database, statement } from '@relata/db';
import type { Post } from '../load/load.ts';
import type { ApiLoad } from '../load/api-load.ts';
import type { RecordWriters } from '../load/record-writers.ts';
import type { Scenario } from '../load/scenario.ts';
import type { TestBed } from '../test-bed/test-bed.ts';
import { collectRecordEvidence } from './record-evidence.ts';
import type { TrashWriters } from '../load/trash-writers.ts';
import { collectTrashEvidence } from './trash-evidence.ts';
import { until } from '@relata/testbed/until';

const stream = 'relata_runs';

interface DeliveryRow {
  id: string;
  trigger_id: string;
  nonce: string | null;
}

export interface RunRow {
  id: string;
  delivery_id: string;
  workflow: string;
  status: string;
  error: { code: string } | null;
  created_at: string;
  finished_at: string | null;
}

interface StepRow {
  run_id: string;
  path: string;
  use: string;
  status: string;
  attempts: number;
  /** Duration, start, due time and actual end of a timer. */
  wait: string | null;
  started_at: string;
  wake_at: string | null;
  woke_at: string | null;
}

interface EffectRow {
  source: string;
  content: string;
}

/** A write to the journal: the app that wrote it, and the worker that held the run at the commit. */
export interface WriteRow {
  run_id: string;
  path: string;
  status: string;
  slot: string;
  holder: string;
}

interface ClaimRow {
  run_id: string;
  is_takeover: boolean;
}

const deliveries = statement<DeliveryRow>(
  'chaos.deliveries',
  `SELECT id, trigger_id, substring(encode(substring(body FOR 60), 'escape') FROM '"nonce":"([^"]+)"') AS nonce
   FROM webhook_deliveries WHERE org_id = $1`,
);

const runs = statement<RunRow>(
  'chaos.runs',
  `SELECT r.id, r.delivery_id, w.name AS workflow, r.status, r.error, r.created_at, r.finished_at
   FROM workflow_runs r JOIN workflows w ON w.org_id = r.org_id AND w.id = r.workflow_id WHERE r.org_id = $1`,
);

const steps = statement<StepRow>(
  'chaos.steps',
  `SELECT run_id, path, use, status, attempts, input ->> 'for' AS wait, started_at, wake_at, output ->> 'woke_at' AS woke_at
   FROM workflow_run_steps WHERE org_id = $1`,
);

const effects = statement<EffectRow>(
  'chaos.effects',
  'SELECT source, content FROM custom_activities WHERE org_id = $1',
);

const matches = statement<{ match: string; n: number }>(
  'chaos.matches',
  `SELECT match, count(*) AS n FROM (
     SELECT email AS match FROM contacts WHERE org_id = $1
     UNION ALL SELECT account_name FROM accounts WHERE org_id = $1
   ) AS m GROUP BY match`,
);

const writes = statement<WriteRow>('chaos.writes', 'SELECT run_id, path, status, slot, holder FROM chaos_writes');
const claims = statement<ClaimRow>('chaos.claims', 'SELECT run_id, is_takeover FROM chaos_claims');

interface Happened {
  posts: readonly Post[];
  /** Time from the end of the last fault until all runs had ended; undefined if some run never ended. */
  endedAfterMs: number | undefined;
  recordLoad: ApiLoad<RecordWriters>;
  trashLoad: ApiLoad<TrashWriters>;
}

export type Evidence = Awaited<ReturnType<typeof collectEvidence>>;

/** Collects the evidence at the end of a run of the suite. */
export async function collectEvidence(bed: TestBed, { orgId, trash }: Scenario, happened: Happened) {
  const { database, outside, timeline, thaws } = bed;
  const { posts, endedAfterMs, recordLoad, trashLoad } = happened;
  return {
    posts,
    endedAfterMs,
    ...(await collectRecordEvidence(database, orgId, recordLoad)),
    trash: await collectTrashEvidence(database, trash.orgId, trashLoad),
    deliveries: await database.query(deliveries, [orgId]),
    runs: await database.query(runs, [orgId]),
    steps: await database.query(steps, [orgId]),
    effects: await database.query(effects, [orgId]),
    /** Number of contacts or accounts for each value by which runs match them. */
    matches: await database.query(matches, [orgId]),
    writes: await database.query(writes, []),
    claims: await database.query(claims, []),
    /** Transactions that PostgreSQL aborted because of a deadlock. */
    deadlocks: await bed.postgres.countDeadlocks(),
    calls: outside.calls,
    thaws,
    timeline,
    /** NATS servers that keep the stream of runs; undefined if there is only one. */
    streamCopies: await countStreamCopies(bed),
    /** Processes that ended although the suite had sent no signal. */
    crashes: bed.apps.flatMap((slot) => slot.crashes),
    pids: new Map(bed.apps.map(({ name, pids }) => [name, pids])),
  };
}

/**
 * Returns the number of servers that keep the stream. Waits until all servers do, because an app may still have to
 * create a lost stream again.
 */
async function countStreamCopies({ nats: { nodes } }: TestBed): Promise<number | undefined> {
  if (nodes.length === 1) return undefined;
  const count = async () =>
    Math.max(...(await Promise.all(nodes.map((node) => node.streamCopies()))).map((of) => of.get(stream) ?? 0));
  return until(
    'every NATS server keeps the stream',
    async () => (await count()) === nodes.length && nodes.length,
  ).catch(count);
}

const open = statement<{ n: number }>(
  'chaos.open',
  `SELECT count(*) AS n FROM workflow_runs WHERE status IN ('queued', 'running', 'waiting')`,
);

export async function countOpenRuns(database: Database): Promise<number> {
  const [row] = await database.query(open, []);
  return row!.n;
}
