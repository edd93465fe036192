import { toClientSite } from '@relata/http';
import type { Asker } from './token-budget.ts';

/** Number of clients whose questions must fail, with no successful answer in between, before the circuit opens. */
const failingClientsMax = 5;

/**
 * Time for which an open circuit blocks the model for its organization. After that, one question at a time tries the
 * model.
 */
const pauseMs = 10_000;

/** An attempt to ask the model. Exactly one of these functions must be called at its end. */
export interface Attempt {
  answered: () => void;
  failed: () => void;
  /** Called if the visitor has left, or the model was not asked after all. */
  abandoned: () => void;
}

interface Circuit {
  /** Clients whose questions have failed since the last answer. An IPv6 site counts as one client. */
  readonly failing: Set<string>;
  pausedUntil: number;
  isBeingTried: boolean;
}

/**
 * Circuit breakers per organization. Without them, every visitor would wait for an unavailable model. Each organization
 * has its own circuit, so that its failures never disable the model for others.
 */
export class CircuitBreakers {
  readonly #circuits = new Map<string, Circuit>();
  readonly #onOpen: (orgId: string) => void;

  /** `onOpen` is called when an organization's circuit opens, but not when it stays open. */
  constructor(onOpen: (orgId: string) => void) {
    this.#onOpen = onOpen;
  }

  /** Begins an attempt; returns undefined while the model must not be asked. */
  attempt({ orgId, ip }: Asker): Attempt | undefined {
    const circuit = this.#circuits.get(orgId);
    const isTrial = circuit !== undefined && isOpen(circuit);
    if (isTrial && (circuit.isBeingTried || performance.now() < circuit.pausedUntil)) return undefined;
    if (isTrial) circuit.isBeingTried = true;
    const endTrial = () => isTrial && (circuit.isBeingTried = false);
    return {
      answered: () => this.#circuits.delete(orgId),
      failed: () => {
        endTrial();
        this.#noteFailure(orgId, ip);
      },
      abandoned: endTrial,
    };
  }

  #noteFailure(orgId: string, ip: string): void {
    const circuit = this.#circuits.get(orgId) ?? { failing: new Set<string>(), pausedUntil: 0, isBeingTried: false };
    this.#circuits.set(orgId, circuit);
    const wasOpen = isOpen(circuit);
    if (!wasOpen) circuit.failing.add(toClientSite(ip) ?? ip);
    if (!isOpen(circuit)) return;
    circuit.pausedUntil = performance.now() + pauseMs;
    if (!wasOpen) this.#onOpen(orgId);
  }
}

function isOpen({ failing }: Circuit): boolean {
  return failing.size >= failingClientsMax;
}
