import { apiKeys } from './ages/api-keys.ts';
import { demoRequests } from './ages/demo-requests.ts';
import { retention } from './ages/retention.ts';
import { failedRuns, waitingRuns } from './ages/runs.ts';
import { openTransactions } from './ages/transactions.ts';
import type { Check } from './check.ts';
import { clocks } from './database/clocks.ts';
import { connections } from './database/connections.ts';
import { indexes } from './database/indexes.ts';
import { permissions, role } from './database/rights.ts';
import { schema } from './database/schema-level.ts';
import { durability, locale, reachable as database } from './database/server.ts';
import { deadRows, statistics } from './database/tables.ts';
import { queue } from './nats/queue.ts';
import { jetStream, reachable as nats } from './nats/server.ts';
import { notifyKeys, secretKeys, signingKeys } from './settings/encryption-keys.ts';
import { settings } from './settings/given-settings.ts';

/** All checks, in the order in which their findings are shown. */
export const checks: readonly Check[] = [
  database,
  durability,
  locale,
  role,
  connections,
  schema,
  indexes,
  permissions,
  statistics,
  deadRows,
  clocks,
  nats,
  jetStream,
  queue,
  settings,
  secretKeys,
  signingKeys,
  notifyKeys,
  waitingRuns,
  failedRuns,
  retention,
  openTransactions(),
  demoRequests,
  apiKeys,
];
