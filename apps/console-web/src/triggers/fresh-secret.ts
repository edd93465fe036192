interface Fresh {
  triggerId: string;
  secret: string;
}

let fresh: Fresh | undefined;

/** Keeps the secret of a new trigger in memory alone, until the page of the trigger has shown it. */
export function keepFreshSecret(triggerId: string, secret: string): void {
  fresh = { triggerId, secret };
}

export const findFreshSecret = (triggerId: string) => (fresh?.triggerId === triggerId ? fresh.secret : undefined);

export function forgetFreshSecret(): void {
  fresh = undefined;
}
