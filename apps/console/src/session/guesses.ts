import { setTimeout as pause } from 'node:timers/promises';
import { hashCredential } from '@relata/auth';
import { clientSiteOf, SharedLimit, tooMany } from '@relata/http';
import type { Messaging } from '@relata/messaging';
import type { Candidate, HashTurn } from '@relata/people';
import { AppError } from '@relata/schemas/errors';
import type { SignedIn, Visitor } from './console-caller.ts';
import { SharedPace } from './shared-pace.ts';

/** Wrong passwords of one known browser, and of one session. Beyond them a browser is not known any more. */
const ownBudget = { points: 10, windowMs: 900_000 };
/** Guesses from one address at one person: at most 51 an hour. */
const pairBounds = { free: 5, mostMs: 90_000 };
/** Guesses at one person from addresses at which they have never signed in: at most 90 an hour. */
export const personBounds = { free: 10, mostMs: 50_000 };
/** An address that has guessed at a person waits so many times longer: one that has not comes first. */
const guesserFactorMax = 3;
const longestWaitMsDefault = 5_000;
const waitingMax = 200;

interface GuessesOptions {
  messaging: Messaging;
  stack: AsyncDisposableStack;
  /** Counts a request by its address, where it was let in as another. */
  chargeAddress: (ip: string) => Promise<void>;
  /** How long an attempt may wait for its turn before it is refused; 5 s unless given. */
  longestWaitMs?: number | undefined;
}

type Check<Result> = (turn: HashTurn) => Promise<Result>;

/**
 * Bounds on guessing passwords. Guesses of others delay nobody who has a session, uses a known browser, or is where they have
 * signed in before; from elsewhere they delay a person, and never lock them out. An e-mail address that nobody has is
 * treated alike. Keys are published as hashes.
 */
export class Guesses {
  readonly #ofBrowsers: SharedLimit;
  readonly #ofSessions: SharedLimit;
  readonly #ofPairs: SharedPace;
  readonly #ofPeople: SharedPace;
  readonly #chargeAddress: GuessesOptions['chargeAddress'];
  readonly #longestWaitMs: number;
  #waiting = 0;

  constructor({ messaging, stack, chargeAddress, longestWaitMs = longestWaitMsDefault }: GuessesOptions) {
    this.#ofBrowsers = stack.use(new SharedLimit('console-browser-guesses', ownBudget, messaging));
    this.#ofSessions = stack.use(new SharedLimit('console-session-guesses', ownBudget, messaging));
    this.#ofPairs = new SharedPace('console-pair-guesses', pairBounds, messaging);
    this.#ofPeople = new SharedPace('console-person-guesses', personBounds, messaging);
    this.#chargeAddress = chargeAddress;
    this.#longestWaitMs = longestWaitMs;
  }

  /** Lets a password of the signed-in person be tried, which counts for their session alone. */
  async ofSession<Result>({ session }: SignedIn, check: Check<Result>): Promise<Result> {
    const { isAllowed, resetSeconds } = await this.#ofSessions.take(session.session_id);
    if (!isAllowed) throw tooMany(resetSeconds);
    return counted(check({ isKnown: true, party: session.person.id }), () =>
      this.#ofSessions.giveBack(session.session_id),
    );
  }

  /** Lets a visitor try a password of a candidate. Throws `rate_limited` where they would wait for too long. */
  async ofVisitor<Result>(visitor: Visitor, candidate: Candidate, check: Check<Result>): Promise<Result> {
    const { browser, client } = visitor;
    const { person, isKnownAddress } = candidate;
    if (browser && browser.personId === person?.id && (await this.#ofBrowsers.take(browser.id)).isAllowed)
      return counted(check({ isKnown: true, party: person.id }), () => this.#ofBrowsers.giveBack(browser.id));
    // It was let in as a known browser.
    if (browser) await this.#chargeAddress(client.ip);
    const keys = await this.#awaitTurn(client.ip, candidate);
    const site = clientSiteOf(client.ip) ?? client.ip;
    const turn = isKnownAddress ? { isKnown: true, party: person!.id } : { isKnown: false, party: site };
    return counted(check(turn), () => {
      this.#ofPairs.giveBack(keys.pair);
      if (!isKnownAddress) this.#ofPeople.giveBack(keys.person);
    });
  }

  /** Takes an attempt, after at most the longest wait. */
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

/** Waits for an attempt, and gives it back unless the password was wrong. */
async function counted<Result>(attempt: Promise<Result>, giveBack: () => void): Promise<Result> {
  try {
    const result = await attempt;
    giveBack();
    return result;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'wrong_credentials')) giveBack();
    throw error;
  }
}
