import { createStore } from './store.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 15_000;
/** Maximum `Retry-After` that is respected, in ms. */
const longestAskedMs = 300_000;
/** Time without a failure, in ms, after which the wait between probes starts from its minimum again. */
const calmMs = 60_000;

export interface Outage {
  readonly since: number;
  readonly nextTryAt: number;
  /** True if the service sent a `Retry-After`. Actions then do not probe the service early. */
  readonly isAsked: boolean;
}

/** Resolves to undefined if the service works, otherwise to its `Retry-After` in ms. */
type Probe = () => Promise<number | undefined>;

const outage = createStore<Outage | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;
let probing: Promise<void> | undefined;
let waitMs = firstWaitMs;
let lastFailureAt = 0;
let tryAgain: Probe = () => Promise.resolve(undefined);
let onBack: () => void = () => {};

/** Sets the function that probes the service, and the callback for the end of an outage. */
export function watchConnection(probe: Probe, whenBack: () => void): void {
  tryAgain = probe;
  onBack = whenBack;
}

/**
 * Notes that a request failed because of the service. The first failure begins an outage, and only the probe ends it:
 * under overload some requests succeed, and fetching everything after each of them would prolong the overload.
 */
export function reportOutage(askedMs = 0): void {
  const now = Date.now();
  if (!isServiceAway() && now - lastFailureAt > calmMs) waitMs = firstWaitMs;
  lastFailureAt = now;
  if (!isServiceAway()) waitAndProbe(askedMs);
}

export const isServiceAway = () => outage.get() !== undefined;

/**
 * Resolves to false if the service is known to be down. During an outage, probes the service before it resolves, unless
 * the service sent a `Retry-After`.
 */
export async function isServiceThere(): Promise<boolean> {
  if (outage.get()?.isAsked === false) await probe();
  return !isServiceAway();
}

function waitAndProbe(askedMs: number): void {
  const wait = Math.max(waitMs, Math.min(askedMs, longestAskedMs));
  const now = Date.now();
  outage.set({ since: outage.get()?.since ?? now, nextTryAt: now + wait, isAsked: askedMs > 0 });
  clearTimeout(timer);
  timer = setTimeout(() => void probe(), wait);
  waitMs = Math.min(longestWaitMs, waitMs * 2);
}

/** Probes the service. Concurrent calls share one probe. */
function probe(): Promise<void> {
  clearTimeout(timer);
  probing ??= probeOnce().finally(() => (probing = undefined));
  return probing;
}

async function probeOnce(): Promise<void> {
  const askedMs = await tryAgain();
  if (askedMs !== undefined) {
    lastFailureAt = Date.now();
    return waitAndProbe(askedMs);
  }
  outage.set(undefined);
  onBack();
}

export const useOutage = () => outage.useValue();

/** True while this tab is connected to the event stream. */
let isOpen = false;

export const isLive = () => isOpen;

export function becomeLive(next: boolean): void {
  isOpen = next;
}
