import { setTimeout as pause } from 'node:timers/promises';
import { type Database, openDatabase } from '@relata/db';
import { type AppName, appNames } from '../services.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { abortOf, until } from '@relata/testbed/until';
import { type Effects, readEffects } from './effects.sql.ts';
import { follow, type Follower } from './load/follower.ts';
import { type Accepted, type Load, startRequests } from './load/requests.ts';
import { createLoadedOrganization, type LoadedOrganization, workflows } from './load/loaded-organization.ts';
import { Tally } from './load/tally.ts';
import { dropListIndexes, migrate, runMigrate } from './migration.ts';
import { openTestBed, type Release, type Stopped, type TestBed, type TestBedOptions } from './replicas/test-bed.ts';

export interface RollingOptions extends TestBedOptions {
  /** Duration of the load before and after the rollout. */
  calmMs: number;
  /** True to roll back to the current release afterwards, on the schema of the next release. */
  goesBack: boolean;
  /** Factor for the usual rate of writes. Writes cost more processor time than all other requests together. */
  writes: number;
  seed: number;
  say: (line: string) => void;
}

/** Observations from the replacement of all replicas. */
export interface Rolled {
  tally: Tally;
  accepted: Accepted;
  effects: Effects;
  /** Ids of created contacts in the feed of events, in its order. */
  followed: readonly string[];
  migration: string;
  /** Output of `relata migrate` of the current release on the schema of the next release. */
  migrationBack?: string | undefined;
  stopped: readonly Stopped[];
  /** Results of the readiness probes of each replica, by its name, without consecutive repeats. */
  probed: ReadonlyMap<string, readonly (number | undefined)[]>;
}

/** Migrates to the next release and replaces every replica under load. Rolls back afterwards if `goesBack` is set. */
export async function runRolling(options: RollingOptions): Promise<Rolled> {
  await using stack = new AsyncDisposableStack();
  const bed = await openTestBed(stack, options);
  return await Promise.race([rollUnderLoad(bed, options), abortOf(options.signal)]);
}

async function rollUnderLoad(bed: TestBed, options: RollingOptions): Promise<Rolled> {
  const { servers, say, calmMs, goesBack, writes, seed, signal } = options;
  await using database = openDatabase({ url: servers.databaseUrl, name: 'rolling', poolMax: 2 });
  const organization = await createLoadedOrganization(database, bed.outside.url);
  await dropListIndexes(servers);
  await bed.start();
  say('all replicas of the present release are ready');
  using client = new HttpClient(bed.gateway.url);
  const load: Load = { client, organization, tally: new Tally(), accepted: { contacts: new Map(), nonces: new Set() } };
  const { tally, accepted } = load;
  const followers = followersOf(client, tally, organization);
  using requests = startRequests(load, seed, writes);
  await until('an answer of the chat is over', () => (tally.counts['chat'] ?? 0) > 0);
  await pause(calmMs);
  tally.phase = 'migration';
  const migration = await migrate(bed, servers, signal);
  say('the schema is that of the next release');
  tally.phase = 'rollout';
  const stopped = await rollAll(bed, 'next', say);
  tally.phase = 'after';
  await pause(calmMs);
  let migrationBack: string | undefined;
  if (goesBack) {
    tally.phase = 'back';
    say('all replicas are of the next release; back to the present one, on its schema');
    migrationBack = await runMigrate(bed, 'present', signal);
    stopped.push(...(await rollAll(bed, 'present', say)));
    tally.phase = 'after the way back';
    await pause(calmMs);
  }
  await requests.end();
  const effects = await settled(database, organization, accepted);
  const hasCaughtUp = () => createdIn(followers.events).length >= accepted.contacts.size;
  // If the feed has not caught up, the claim about events reports the missing records.
  await until('the feed has caught up', hasCaughtUp).catch(() => undefined);
  for (const follower of Object.values(followers)) follower.stop();
  const probed = new Map(
    appNames.flatMap((app) => [...bed.rotations[app].probed].map(([{ name }, all]) => [name, all])),
  );
  const followed = createdIn(followers.events);
  return { tally, accepted, effects, followed, migration, migrationBack, stopped, probed };
}

/** Rolls all Deployments at the same time, each of them one replica after another. */
async function rollAll(bed: TestBed, release: Release, say: (line: string) => void): Promise<Stopped[]> {
  const roll = async (app: AppName) => {
    const stopped = await bed.roll(app, release);
    for (const { name, tookMs } of stopped) say(`${name} ended after ${(tookMs / 1_000).toFixed(1)} s`);
    return stopped;
  };
  return (await Promise.all(appNames.map(roll))).flat();
}

function followersOf(client: HttpClient, tally: Tally, { apiKey, cookie, orgId }: LoadedOrganization) {
  const events = { what: 'event stream', path: '/v1/events?after=start', headers: { 'x-api-key': apiKey } };
  const path = `/console/api/orgs/${orgId}/stream`;
  const changes = { what: 'console stream', path, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
  return { events: follow(client, tally, events), changes: follow(client, tally, changes) };
}

function createdIn({ seen }: Follower): string[] {
  return seen.flatMap((data) => {
    const { type, record_id: id } = JSON.parse(data) as { type: string; record_id: string };
    return type === 'contact.created' ? [id] : [];
  });
}

/** Waits until the runs of every accepted delivery have ended, and returns their effects. */
async function settled(database: Database, { orgId }: LoadedOrganization, { nonces }: Accepted): Promise<Effects> {
  const isOver = async () => {
    const effects = await readEffects(database, orgId);
    const ended = Object.entries(effects.runs).reduce(
      (sum, [status, n]) => (/^(succeeded|failed)/.test(status) ? sum + n : sum),
      0,
    );
    return ended >= nonces.size * workflows.length && effects;
  };
  return until('every run has ended', isOver).catch(() => readEffects(database, orgId));
}
