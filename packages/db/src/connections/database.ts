import { type Log, RecentOrganizations, Slots } from '@relata/runtime';
import type pg from 'pg';
import { PooledClient } from './connecting-client.ts';
import { GrowingPool } from './growing-pool.ts';
import { OneOrganizationDb, type OrganizationDb, type ScanDb } from './organization-database.ts';
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
  /**
   * Maximum number of concurrent scans, which are statements that can read many rows. One organization gets at most
   * half of them, and a quarter while others are active.
   */
  scansMax?: number;
  statementTimeoutMs?: number;
  connectTimeoutMs?: number;
  onStatement?: OnStatement;
  log?: Log;
}

export interface Database extends OrganizationDb, AsyncDisposable {
  /**
   * Returns the database for one organization, limited to its share of the connections. If the signal is aborted,
   * running statements are cancelled in the server too, and the query or transaction rejects with the signal's reason.
   */
  of(orgId: string, signal?: AbortSignal): OrganizationDb;
  /**
   * Returns the database for short statements on behalf of several organizations at once. They do not count towards the
   * share of any organization. If the signal is aborted, they are cancelled as with `of`.
   */
  ofAll(orgIds: readonly string[], signal: AbortSignal): Db;
  /**
   * Like `of`, for scans: statements that can read many rows. Only a few scans run at once, since each occupies a core
   * of the server. Waiting scans hold no connection.
   */
  scanOf(orgId: string, signal?: AbortSignal): ScanDb;
  /** True for a second after two consecutive requests from different organizations. */
  readonly isOfSeveral: boolean;
  /**
   * Like `of`, for bulk transactions, which write hundreds of records. Only a few run at once, since each keeps the
   * server as busy as many small transactions and holds many locks. While other organizations are active, an
   * organization runs one at a time. A transaction waits at most 25 s for its turn and at most another 25 s for its
   * share of connections. It holds no connection while it waits.
   */
  bulkOf(orgId: string, signal?: AbortSignal): OrganizationDb;
  /** Returns the numbers of open connections, idle connections and waiting requests. */
  pressure(): { total: number; idle: number; waiting: number };
  /** Returns how often a statement or transaction has had to wait for a slot since the database was opened. */
  waited(): number;
}

/** Opens a pool of connections; none is established before the first statement. */
export function openDatabase(options: DatabaseOptions): Database {
  const config = poolConfig(options);
  const pool = new GrowingPool({ ...config, Client: PooledClient });
  // The pool replaces a connection that breaks while idle; without a listener the error would end the process. Only the
  // message is logged, since the pool attaches the whole client to the error.
  pool.on('error', ({ message }) => options.log?.warn({ reason: message }, 'an idle database connection broke'));
  // A connection in use may break between two statements. Its next statement fails, so this listener ignores the error.
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
  const recentOrganizations = new RecentOrganizations(presentMs);
  const partyOf = (orgId: string) => {
    recentOrganizations.note(orgId);
    return [orgId];
  };
  // While several organizations are active, each gets only half of its usual share of scans and of bulk transactions.
  const halfPartyOf = (orgId: string, half: 'scans' | 'bulk') => [
    ...partyOf(orgId),
    ...(recentOrganizations.isOfSeveral ? [half] : []),
  ];
  return {
    get isOfSeveral() {
      return recentOrganizations.isOfSeveral;
    },
    query: (prepared, values) => runner.run(pool, prepared, values),
    transaction: (work) => transaction(work),
    of: (orgId, signal) => new OneOrganizationDb(ofOrganization, partyOf(orgId), signal),
    ofAll: (orgIds, signal) => {
      for (const orgId of orgIds) recentOrganizations.note(orgId);
      return { query: (prepared, values) => runUntilAborted(cancelling, prepared, values, signal) };
    },
    scanOf: (orgId, signal) => new OneOrganizationDb(scansOfOrganization, halfPartyOf(orgId, 'scans'), signal),
    bulkOf: (orgId, signal) => new OneOrganizationDb(bulkOfOrganization, halfPartyOf(orgId, 'bulk'), signal),
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
/**
 * Maximum number of concurrent scans. One organization runs at most two, and one while others are active, so that a
 * server with two cores has a core left for look-ups.
 */
const scansMaxDefault = 4;
/** Time after its last request for which an organization counts as active. */
const presentMs = 1_000;

/**
 * Maximum number of concurrent bulk transactions. One organization runs at most two, and one while others are active. A
 * transaction of 500 upserts may hold some 2,000 locks; a server with default settings has room for 6,400.
 */
const bulkMax = 4;
/** Longest wait of a bulk transaction for its turn. Two batches before it, of at most 10 s each, end in less time. */
const bulkWaitMs = 25_000;

const longestWaitOf = (ms: number) => ({
  ms,
  error: () => new Error('timeout exceeded when trying to connect: the share is used up'),
});

/** Time that the server may take to answer after a statement's timeout. */
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
    // Dates are printed in the format that `isoTimestamp` reads. One plan serves all values, so that frequent
    // statements are never planned again. No statement uses more than one core, since a long statement would take the
    // cores from all others. JIT compilation takes longer than most statements.
    options:
      '-c TimeZone=UTC -c DateStyle=ISO -c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0 -c jit=off',
  };
}
