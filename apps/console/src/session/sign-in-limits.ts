import { setTimeout as pause } from 'node:timers/promises';
import { hashCredential } from '@relata/auth';
import { toClientSite, SharedLimit, tooMany } from '@relata/http';
import type { Messaging } from '@relata/messaging';
import type { Candidate, HashTurn } from '@relata/people';
import { QueueFullError } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';
import type { SignedIn, Visitor } from './console-caller.ts';
import { SharedBackoff } from './shared-backoff.ts';

/**
 * Maximum number of wrong passwords per known browser, and per session. Beyond it, the browser does not count as known.
 */
const ownBudget = { points: 10, windowMs: 900_000 };
/** Bounds for guesses from one IP address at one person: at most 51 per hour. */
const pairBounds = { free: 5, mostMs: 90_000 };
/**
 * Bounds for guesses at one person from all addresses at which that person has never signed in: at most 90 per hour.
 */
export const personBounds = { free: 10, mostMs: 50_000 };
/**
 * Maximum factor for the delay of an address that has already guessed at the person, so that addresses without guesses
 * have priority.
 */
const guesserFactorMax = 3;
const longestWaitMsDefault = 5_000;
const waitingMax = 200;

interface GuessesOptions {
  messaging: Messaging;
  stack: AsyncDisposableStack;
  /** Counts a request towards the limit of its IP address. Admission has counted it only for its browser. */
  chargeAddress: (ip: string) => Promise<void>;
  /** Maximum time in ms for which an attempt waits before it is refused; 5 s by default. */
  longestWaitMs?: number | undefined;
}

type Check<Result> = (turn: HashTurn) => Promise<Result>;

/**
 * Limits on guessing passwords. Other people's guesses do not delay a person who has a session, uses a known browser,
 * or is at an IP address from which they have signed in before. Elsewhere, guesses delay a person, but never lock them
 * out. The limits also apply to unknown e-mail addresses. Other replicas get e-mail and IP addresses as hashes only.
 */
export class SignInLimits {
  readonly #ofBrowsers: SharedLimit;
  readonly #ofSessions: SharedLimit;
  readonly #ofPairs: SharedBackoff;
  readonly #ofPeople: SharedBackoff;
  readonly #chargeAddress: GuessesOptions['chargeAddress'];
  readonly #longestWaitMs: number;
  #waiting = 0;

  constructor({ messaging, stack, chargeAddress, longestWaitMs = longestWaitMsDefault }: GuessesOptions) {
    this.#ofBrowsers = stack.use(new SharedLimit('console-browser-guesses', ownBudget, messaging));
    this.#ofSessions = stack.use(new SharedLimit('console-session-guesses', ownBudget, messaging));
    this.#ofPairs = new SharedBackoff('console-pair-guesses', pairBounds, messaging);
    this.#ofPeople = new SharedBackoff('console-person-guesses', personBounds, messaging);
    this.#chargeAddress = chargeAddress;
    this.#longestWaitMs = longestWaitMs;
  }

  /**
   * Checks a password of the signed-in person. A wrong one counts only towards the limit of their session. Throws
   * `rate_limited` if that limit is reached.
   */
  async ofSession<Result>({ session }: SignedIn, check: Check<Result>): Promise<Result> {
    const { isAllowed, resetSeconds } = await this.#ofSessions.take(session.session_id);
    if (!isAllowed) throw tooMany(resetSeconds);
    return counted(check({ isKnown: true, party: session.person.id }), () =>
      this.#ofSessions.giveBack(session.session_id),
    );
  }

  /**
   * Checks a candidate's password for a visitor, if necessary after a delay. Throws `rate_limited` if the delay would
   * be too long.
   */
  async ofVisitor<Result>(visitor: Visitor, candidate: Candidate, check: Check<Result>): Promise<Result> {
    const { browser, client } = visitor;
    const { person, isKnownAddress } = candidate;
    if (browser && browser.personId === person?.id && (await this.#ofBrowsers.take(browser.id)).isAllowed)
      return counted(check({ isKnown: true, party: person.id }), () => this.#ofBrowsers.giveBack(browser.id));
    // Admission has counted this request only for its browser, so it is counted for its IP address here.
    if (browser) await this.#chargeAddress(client.ip);
    const keys = await this.#awaitTurn(client.ip, candidate);
    const site = toClientSite(client.ip) ?? client.ip;
    const turn = isKnownAddress ? { isKnown: true, party: person!.id } : { isKnown: false, party: site };
    return counted(check(turn), (error) => {
      // Under load, a wrong password may be refused with this error even after it was compared, so it counts as a wrong
      // guess.
      if (!isKnownAddress && error instanceof QueueFullError) return;
      this.#ofPairs.giveBack(keys.pair);
      if (!isKnownAddress) this.#ofPeople.giveBack(keys.person);
    });
  }

  /**
   * Waits until an attempt is allowed, and counts it. Throws `rate_limited` if that would take longer than the longest
   * wait. Returns the keys with which the count can be taken back.
   */
  async #awaitTurn(ip: string, { email, isKnownAddress }: Candidate) {
    const keys = { person: hashCredential(email.toLowerCase()), pair: hashCredential(`${ip} ${email.toLowerCase()}`) };
    const deadline = Date.now() + this.#longestWaitMs;
    for (;;) {
      const factor = Math.min(guesserFactorMax, 1 + this.#ofPairs.levelOf(keys.pair));
      const ofPerson = isKnownAddress ? 0 : this.#ofPeople.waitOf(keys.person, factor);
      const waitMs = Math.max(this.#ofPairs.waitOf(keys.pair), ofPerson);
      if (waitMs === 0) break;
      if (Date.now() + waitMs > deadline || this.#waiting >= waitingMax) throw tooMany(Math.ceil(waitMs / 1_000));
      await this.#pause(waitMs);
    }
    this.#ofPairs.take(keys.pair);
    if (!isKnownAddress) this.#ofPeople.take(keys.person);
    return keys;
  }

  async #pause(ms: number): Promise<void> {
    this.#waiting++;
    try {
      await pause(ms);
    } finally {
      this.#waiting--;
    }
  }
}

/**
 * Waits for an attempt, and takes back its count unless the password was wrong. `giveBack` receives the error of an
 * attempt that failed for another reason.
 */
async function counted<Result>(attempt: Promise<Result>, giveBack: (error?: unknown) => void): Promise<Result> {
  try {
    const result = await attempt;
    giveBack();
    return result;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'wrong_credentials')) giveBack(error);
    throw error;
  }
}
