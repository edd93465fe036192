import { buildWidget } from '@relata/chat-widget/build';
import { buildConsole } from '@relata/console-web/build';
import { buildDocs } from '@relata/docs-web/build';
import { Random } from '@relata/testbed/random';
import { serviceOf } from '../services.ts';
import { type BedServers, openServiceBed, type Urls } from '@relata/testbed/service-bed';
import { faultOf } from './fault.ts';
import { type Known, requestOf } from './request.ts';
import { send } from './send.ts';
import { createKnownValues } from './known-values.ts';
import { type Called, fuzzedApps, lists, surface } from './surface.ts';

export interface FuzzOptions {
  servers: BedServers;
  seed: number;
  requests: number;
  /** True to send requests only to operations that list or summarize records. */
  onlyLists?: boolean | undefined;
  signal: AbortSignal;
  say(line: string): void;
}

/** Counts of responses by app and status; status 0 if there was none. */
type Statuses = Readonly<Record<string, Readonly<Record<number, number>>>>;

export interface Fuzzed {
  sent: number;
  statuses: Statuses;
  faults: string[];
}

/** Number of concurrent requests. They are so few that no queue fills up. */
const connections = 6;
const faultsMax = 20;
/** Share of additional requests to lists, which have far more parameters than other operations. */
const listsShare = 0.2;

/** Limits are disabled, so that each request reaches its target. */
const settings = {
  API_RATE_LIMIT: 'off',
  WEBHOOK_RATE_LIMIT: 'off',
  CHAT_RATE_LIMIT: 'off',
  DEMO_RATE_LIMIT: 'off',
  CHAT_DAILY_TOKENS: 'off',
};

/**
 * Sends random requests to the bundles of all HTTP apps until all are sent, too many have failed, or the signal aborts.
 */
export async function runFuzz({ servers, seed, requests, onlyLists, signal, say }: FuzzOptions): Promise<Fuzzed> {
  await Promise.all([buildConsole(), buildDocs(), buildWidget()]);
  await using bed = await openServiceBed({ servers, name: 'fuzz', services: fuzzedApps.map(serviceOf), settings });
  const known = await createKnownValues(bed.database, bed.urls);
  const statuses: Record<string, Record<number, number>> = Object.fromEntries(fuzzedApps.map((app) => [app, {}]));
  const faults: string[] = [];
  let sent = 0;
  const work = async () => {
    while (sent < requests && faults.length < faultsMax && !signal.aborted) {
      const at = sent++;
      const { called, status, fault } = await sendOne(bed.urls, { seed, at, known, onlyLists });
      const counts = statuses[called.app]!;
      counts[status] = (counts[status] ?? 0) + 1;
      if (fault !== undefined) faults.push(fault);
      if (sent % 10_000 === 0) say(`${sent} of ${requests}: ${JSON.stringify(statuses)}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return { sent, statuses, faults: [...faults, ...bed.endedApps()] };
}

interface Sending extends Pick<FuzzOptions, 'seed' | 'onlyLists'> {
  at: number;
  known: Known;
}

async function sendOne(urls: Urls, { seed, at, known, onlyLists }: Sending) {
  // Each request has its own random numbers, so that it does not depend on earlier ones.
  const random = new Random(Math.imul(seed, 0x9e3779b1) + at * 7_919);
  const called = onlyLists || random.has(listsShare) ? random.pick(lists) : pick(random);
  const request = requestOf(called, random, known);
  const response = await send(urls[called.app]!, request).catch((error: Error) => error);
  const fault = faultOf(response, request, called);
  const shown = () => JSON.stringify(request.bytes.toString('latin1').slice(0, 1_500));
  return {
    called,
    status: response instanceof Error ? 0 : response.status,
    fault: fault && `Request ${at} of seed ${seed} to ${called.app}, ${called.id}: ${fault}\n  ${shown()}`,
  };
}

function pick(random: Random): Called {
  const { operations, pages } = surface[random.pick(fuzzedApps)];
  return random.pick(random.has(0.05) ? pages : operations);
}
