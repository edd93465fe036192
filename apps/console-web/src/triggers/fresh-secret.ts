import type { MadeSecret } from './made-secret.tsx';

let fresh: MadeSecret | undefined;

/** Keeps the secrets of a new trigger in memory until its page has shown them. */
export function keepFreshSecret(made: MadeSecret): void {
  if (made.secret !== null || made.verify_token) fresh = made;
}

export const findFreshSecret = (triggerId: string) => (fresh?.trigger.id === triggerId ? fresh : undefined);

export function forgetFreshSecret(): void {
  fresh = undefined;
}
