import { type Log, Presence, Slots } from '@relata/runtime';
import type pg from 'pg';
import { PooledClient } from './connecting-client.ts';
import { GrowingPool } from './growing-pool.ts';
import { OneOrganizationDb, type OrganizationDb } from './organization-database.ts';
import { runUntilAborted, transactionUntilAborted } from './run-until-aborted.ts';
import { type OnStatement, StatementRunner } from './statement-runner.ts';
import type { Db } from '../statement.ts';
import type { UnitDb } from '../units/unit-db.ts';
import { typeParsers } from './types.ts';
import { Watchdog } from './watchdog.ts';

export interface DatabaseOptions {
  url: string;
  /** Shown in `pg_stat_activity`. */
  name: string;
  poolMax?: number;
  /** Statements that may read many rows and run at once; one organization has at most half of them, a quarter beside others. */
  scansMax?: number;
  statementTimeoutMs?: number;
  connectTimeoutMs?: number;
  onStatement?: OnStatement;
  log?: Log;
}

export interface Database extends Db, AsyncDisposable {
  /** Runs `work` in one transaction: all of it holds, or none. */
  transaction<Result>(work: (db: UnitDb) => Promise<Result>): Promise<Result>;
  /**
   * The same on behalf of one organization, which holds at most its share of the connections at once. What is queried is
   * cancelled, in the server too, when the signal is aborted; the query, or its transaction, then rejects with the signal's
   * reason.
   */
  of(orgId: string, signal?: AbortSignal): OrganizationDb;
  /**
   * The database for short statements on behalf of several organizations at once, which count towards the share of none.
   * They are cancelled in the same way.
   */
  ofAll(orgIds: readonly string[], signal: AbortSignal): Db;
  /**
   * The same for what may read many rows: few of these run at once, since each takes a core of the server for as long as
   * it runs, and a query that waits holds no connection.
   */
  scanOf(orgId: string, signal?: AbortSignal): OrganizationDb;
  /** True for a second after more than one organization asked for anything. */
  readonly isOfSeveral: boolean;
  /**
   * The same for transactions that write hundreds of records: few of these run at once, since each keeps the server as
   * busy as many small ones and holds many locks. They wait longer for their turn, without a connection.
   */
  bulkOf(orgId: string, signal?: AbortSignal): OrganizationDb;
  /** Connections: open, idle, and requests that wait for one. */
  pressure(): { total: number; idle: number; waiting: number };
  /** How many requests have had to wait for their share of the connections since it was opened. */
  waited(): number;
}

/** A pool of connections; none is opened before the first statement. */
export function openDatabase(options: DatabaseOptions): Database {
  const config = poolConfig(options);
  const pool = new GrowingPool({ ...config, Client: PooledClient });
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process. The pool
  // hangs the whole client onto the error.
  pool.on('error', ({ message }) => options.log?.warn({ reason: message }, 'an idle database connection broke'));
  // One that is in use may break between two statements, and emits the error once more when it is released: the next
  // statement fails with it, which is enough.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const statementTimeoutMs = options.statementTimeoutMs ?? statementTimeoutDefaultMs;
  const watchdog = new Watchdog(pool, statementTimeoutMs + silenceMs);
  const slots = [new Slots(config.max)];
  const scanSlots = [new Slots(options.scansMax ?? scansMaxDefault), ...slots];
  const runner = new StatementRunner(options.onStatement);
  const cancelling = { pool, config, runner };
  const transaction = <Result>(work: (db: UnitDb) => Promise<Result>, signal?: AbortSignal) =>
    transactionUntilAborted(cancelling, work, signal);
  const longestWait = longestWaitOf(config.connectionTimeoutMillis!);
  const ofOrganization = { ...cancelling, slots, longestWait, transaction };
  const bulkSlots = [new Slots(bulkMax), ...slots];
  const bulkOfOrganization = { ...ofOrganization, slots: bulkSlots, longestWait: longestWaitOf(bulkWaitMs) };
  const scansOfOrganization = { ...ofOrganization, slots: scanSlots };
  const presence = new Presence(presentMs);
  const partyOf = (orgId: string) => {
    presence.note(orgId);
    return [orgId];
  };
  // A part of an organization has half of its share.
  const scansPartyOf = (orgId: string) => [...partyOf(orgId), ...(presence.isOfSeveral ? ['scans'] : [])];
  return {
    get isOfSeveral() {
      return presence.isOfSeveral;
    },
    query: (prepared, values) => runner.run(pool, prepared, values),
    transaction: (work) => transaction(work),
    of: (orgId, signal) => new OneOrganizationDb(ofOrganization, partyOf(orgId), signal),
    ofAll: (orgIds, signal) => {
      for (const orgId of orgIds) presence.note(orgId);
      return { query: (prepared, values) => runUntilAborted(cancelling, prepared, values, signal) };
    },
    scanOf: (orgId, signal) => new OneOrganizationDb(scansOfOrganization, scansPartyOf(orgId), signal),
    bulkOf: (orgId, signal) => new OneOrganizationDb(bulkOfOrganization, partyOf(orgId), signal),
    pressure: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: [bulkSlots[0]!, ...scanSlots].reduce((sum, { waiting }) => sum + waiting, pool.waitingCount),
    }),
    waited: () => [bulkSlots[0]!, ...scanSlots].reduce((sum, { waited }) => sum + waited, 0),
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      watchdog[Symbol.dispose]();
    },
  };
}

const statementTimeoutDefaultMs = 10_000;
const poolMaxDefault = 20;
/** At most two of them are of one organization, one beside others: on two cores of the server one is left for look-ups. */
const scansMaxDefault = 4;
/** For so long after its last request an organization counts as one of several. */
const presentMs = 1_000;

/** Of one organization two, if it is alone: of 500 upserts each may hold some 2,000 locks, and servers have room for 6,400. */
const bulkMax = 4;
const bulkWaitMs = 15_000;

const longestWaitOf = (ms: number) => ({
  ms,
  error: () => new Error('timeout exceeded when trying to connect: the share is used up'),
});

/** How much longer than its own timeout the server may take to answer. */
const silenceMs = 2_000;

function poolConfig(options: DatabaseOptions): pg.PoolConfig & { max: number } {
  const statementTimeoutMs = options.statementTimeoutMs ?? statementTimeoutDefaultMs;
  return {
    connectionString: options.url,
    application_name: options.name,
    max: options.poolMax ?? poolMaxDefault,
    types: typeParsers,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 3_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    // Dates are printed for `isoTimestamp`; one plan serves every value, so nothing is planned on the hot path. No
    // statement takes more than one core: a long one would take them from all others.
    options:
      '-c TimeZone=UTC -c DateStyle=ISO -c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0',
  };
}
