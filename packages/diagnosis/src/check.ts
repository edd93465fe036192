import type { Db } from '@relata/db';
import type { Messaging } from '@relata/messaging';
import type { EncryptionKeys } from '@relata/secrets';

/**
 * Severity of a finding. `fault`: something does not work, or data will be lost. `warning`: everything works, but
 * somebody should look at it.
 */
type Level = 'ok' | 'warning' | 'fault';

export type Verdict = {
  level: Level;
  /** Finding, in one sentence. */
  found: string;
  /** Advice, in one sentence; null if nothing needs to be done. */
  advice: string | null;
};

/** Finding of a check. It is a type and not an interface, so that it can be passed as a `Record`. */
export type Finding = { check: string } & Verdict;

export type KeysSetting = 'SECRETS_KEY' | 'SIGNING_KEYS' | 'NOTIFY_KEYS';

export interface DiagnosisContext {
  /** Database connection with the role of the apps. */
  database: Db;
  messaging: Messaging;
  /** Environment of the apps, as far as it is known here. */
  environment: Readonly<Record<string, string | undefined>>;
  emptyVariables: readonly string[];
  /** Returns the encryption keys; undefined if they are not set. Throws SettingsError if they cannot be read. */
  keysOf(setting: KeysSetting): EncryptionKeys | undefined;
  /** Returns milliseconds since 1970 by the clock of this machine. */
  now(): number;
}

type Server = 'database' | 'nats';

export interface Check {
  name: string;
  /** Server that the check needs. The check runs only if the check with this name found no fault. */
  needs?: Server;
  run(context: DiagnosisContext): Promise<Verdict>;
}

/** Declares a check that depends on a server. */
export const checkOn = (needs: Server, name: string, run: Check['run']): Check => ({
  name,
  needs,
  run,
});

export const ok = (found: string): Verdict => ({ level: 'ok', found, advice: null });
export const warning = (found: string, advice: string): Verdict => ({ level: 'warning', found, advice });
export const fault = (found: string, advice: string): Verdict => ({ level: 'fault', found, advice });
