import { hashCredential } from '@relata/auth';
import { type Admission, limitedBy, SharedLimit, tooMany } from '@relata/http';
import type { Messaging } from '@relata/messaging';
import { AppError } from '@relata/schemas/errors';
import type { ConsoleSpec } from '@relata/schemas/console';
import type { ConsoleCaller, SignedIn } from './console-caller.ts';

const minuteMs = 60_000;
const bounds = {
  signIns: { points: 10, windowMs: minuteMs },
  links: { points: 10, windowMs: minuteMs },
  failures: { points: 10, windowMs: 15 * minuteMs },
  requests: { points: 1_200, windowMs: minuteMs },
};

/** How often people may do what, over all replicas. */
export class ConsoleLimits {
  readonly #byIp: Record<string, Admission<ConsoleCaller>>;
  readonly #bySession: Admission<ConsoleCaller>;
  readonly #failures: SharedLimit;

  constructor(messaging: Messaging, stack: AsyncDisposableStack) {
    const open = (name: keyof typeof bounds) => stack.use(new SharedLimit(`console-${name}`, bounds[name], messaging));
    const byIp = (name: keyof typeof bounds) =>
      limitedBy<ConsoleCaller>(open(name), (_request, { client }) => client.ip);
    const links = byIp('links');
    this.#byIp = { signIn: byIp('signIns'), enter: links, readLink: links };
    this.#bySession = limitedBy(open('requests'), (_request, caller) => (caller as SignedIn).session.session_id);
    this.#failures = open('failures');
  }

  readonly admissionTo = ({ id }: ConsoleSpec): Admission<ConsoleCaller> => this.#byIp[id] ?? this.#bySession;

  /**
   * Lets a password be tried on behalf of an address, which counts where it is wrong. The address itself is not published to
   * the other replicas.
   */
  async try<Result>(email: string, check: () => Promise<Result>): Promise<Result> {
    const key = hashCredential(email.toLowerCase());
    const taken = await this.#failures.take(key);
    if (!taken.isAllowed) throw tooMany(taken.resetSeconds);
    try {
      const result = await check();
      this.#failures.giveBack(key);
      return result;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'wrong_credentials')) this.#failures.giveBack(key);
      throw error;
    }
  }
}
