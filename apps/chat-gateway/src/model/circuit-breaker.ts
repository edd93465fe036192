import { clientSiteOf } from '@relata/http';
import type { Asker } from './token-budget.ts';

/** So many clients whose questions fail one after another, without a token for anybody in between, open the circuit. */
const failingClientsMax = 5;

/** How long the model then is not asked for that organization; one question tries it afterwards. */
const pauseMs = 10_000;

/** A call to the model. It ends in one of three ways. */
export interface Attempt {
  answered: () => void;
  failed: () => void;
  /** The visitor has left, or the model was not asked after all. */
  abandoned: () => void;
}

interface Circuit {
  /** The clients whose questions have failed since the last answer; all of one IPv6 site count as one. */
  readonly failing: Set<string>;
  pausedUntil: number;
  isBeingTried: boolean;
}

/**
 * A circuit breaker for each organization. A model that is away would otherwise keep every visitor waiting for as long as
 * the first one. Organizations and clients are counted apart: the questions of one make the model silent for no other.
 */
export class CircuitBreakers {
  readonly #circuits = new Map<string, Circuit>();
  readonly #onOpen: (orgId: string) => void;

  /** `onOpen` is called when an organization's circuit opens, and not when it stays open. */
  constructor(onOpen: (orgId: string) => void) {
    this.#onOpen = onOpen;
  }

  /** Undefined while the model is not to be asked. */
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
    if (!wasOpen) circuit.failing.add(clientSiteOf(ip) ?? ip);
    if (!isOpen(circuit)) return;
    circuit.pausedUntil = performance.now() + pauseMs;
    if (!wasOpen) this.#onOpen(orgId);
  }
}

function isOpen({ failing }: Circuit): boolean {
  return failing.size >= failingClientsMax;
}
