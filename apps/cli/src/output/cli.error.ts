import type { DefinitionError } from '@relata/workflows';

/** All failures of a command: the code in `--json`, and the exit code. */
export const cliErrors = {
  /** The command line itself is wrong: an unknown command or option. */
  usage_error: 2,
  validation_error: 2,
  not_found: 3,
  /** The change contradicts existing data. */
  conflict: 1,
  /** Other records depend on this record. */
  in_use: 1,
  /** Too many other records are linked to it. */
  too_many_linked: 1,
  delivery_refused: 1,
  /** A run that was followed failed, was cancelled, or has not ended in time; its state has been printed. */
  run_failed: 1,
  /** A channel did not accept a demo request (its state has been printed), or no worker sent a test message. */
  not_sent: 1,
  /** A program of PostgreSQL, a build of indexes or the preparation of a restored database failed or was stopped. */
  program_failed: 1,
  /** A diagnosis found a fault (all findings have been printed), or a restored database has wrong totals. */
  fault_found: 1,
  /** A setting, a right or a program is missing or wrong. */
  configuration_error: 1,
  /** The database belongs to another release. */
  schema_version_error: 1,
  /** The database is unreachable or refuses the connection, or an open transaction hides the newest events. */
  service_unavailable: 1,
  internal_error: 1,
} as const;

export type CliErrorCode = keyof typeof cliErrors;

/** Fields of an error in `--json`, in addition to code and message. */
export interface ErrorDetails {
  /** All faults of a definition, with their positions. */
  faults?: DefinitionError['faults'];
  /** HTTP status of the receiver's response. */
  status?: number;
  answer?: unknown;
}

/** An error that the user of the CLI can act on. */
export class CliError extends Error {
  override name = 'CliError';
  readonly code: CliErrorCode;
  readonly details: ErrorDetails;

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions & { details?: ErrorDetails }) {
    super(message, options);
    this.code = code;
    this.details = options?.details ?? {};
  }
}
