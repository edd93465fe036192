import type { Db } from '@relata/db';
import type { Messaging } from '@relata/messaging';
import type { SecretKeys } from '@relata/secrets';

/** `fault`: something does not work, or will be lost. `warning`: it works, and somebody should look. */
export type Level = 'ok' | 'warning' | 'fault';

export type Verdict = {
  level: Level;
  /** What was found, as one sentence. */
  found: string;
  /** What to do about it, as one sentence; null where there is nothing to do. */
  advice: string | null;
};

/** What one check found; a type, so that it can be printed as any record. */
export type Finding = { check: string } & Verdict;

export type KeysSetting = 'SECRETS_KEY' | 'SIGNING_KEYS';

/** What a diagnosis looks at. */
export interface DiagnosisContext {
  /** With the role of the apps. */
  database: Db;
  messaging: Messaging;
  /** The environment that the apps are started with, as far as it is known here. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Variables that were given without a value. */
  emptyVariables: readonly string[];
  /** What secrets are encrypted with; undefined where it is not set. Throws SettingsError where it cannot be read. */
  keysOf(setting: KeysSetting): SecretKeys | undefined;
  /** Milliseconds since 1970 by the clock of this machine. */
  now(): number;
}

export interface Check {
  name: string;
  /** What it cannot be judged without; it is asked only where the check of that name found no fault. */
  needs?: 'database' | 'nats';
  judge(context: DiagnosisContext): Promise<Verdict>;
}

export const ok = (found: string): Verdict => ({ level: 'ok', found, advice: null });
export const warning = (found: string, advice: string): Verdict => ({ level: 'warning', found, advice });
export const fault = (found: string, advice: string): Verdict => ({ level: 'fault', found, advice });
