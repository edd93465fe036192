import { type Admission, limitedBy, SharedLimit, tooMany } from '@relata/http';
import type { Messaging } from '@relata/messaging';
import type { ConsoleSpec } from '@relata/schemas/console';
import type { ConsoleCaller, SignedIn } from './console-caller.ts';
import { SignInLimits } from './sign-in-limits.ts';

const minuteMs = 60_000;
const bounds = {
  signIns: { points: 10, windowMs: minuteMs },
  links: { points: 10, windowMs: minuteMs },
  requests: { points: 1_200, windowMs: minuteMs },
};

/** Rate limits of the console, across all replicas. */
export class ConsoleLimits {
  readonly #public: Record<string, Admission<ConsoleCaller>>;
  readonly #bySession: Admission<ConsoleCaller>;
  readonly signInLimits: SignInLimits;

  constructor(messaging: Messaging, stack: AsyncDisposableStack, guessWaitMs: number | undefined) {
    const open = (name: keyof typeof bounds) => stack.use(new SharedLimit(`console-${name}`, bounds[name], messaging));
    const signIns = open('signIns');
    const links = limitedBy<ConsoleCaller>(open('links'), (_request, caller) => limitKeyOf(caller));
    this.#public = {
      signIn: limitedBy<ConsoleCaller>(signIns, (_request, caller) => limitKeyOf(caller)),
      enter: links,
      readLink: links,
    };
    this.#bySession = limitedBy(open('requests'), (_request, caller) => (caller as SignedIn).session.session_id);
    const chargeAddress = (ip: string) => charge(signIns, ip);
    this.signInLimits = new SignInLimits({ messaging, stack, chargeAddress, longestWaitMs: guessWaitMs });
  }

  readonly admissionTo = ({ id }: ConsoleSpec): Admission<ConsoleCaller> => this.#public[id] ?? this.#bySession;
}

/**
 * Returns the key of a limit. A known browser is counted separately, so that others at its IP address do not use up its
 * limit.
 */
const limitKeyOf = ({ browser, client }: ConsoleCaller): string => (browser ? `browser ${browser.id}` : client.ip);

async function charge(limit: SharedLimit, key: string): Promise<void> {
  const taken = await limit.take(key);
  if (!taken.isAllowed) throw tooMany(taken.resetSeconds);
}
