import type { DefinitionError } from '@relata/workflows';

/** Every way a command can fail: the code that `--json` shows, and the exit code. */
export const cliErrors = {
  /** The command line itself: an unknown command or option. */
  usage_error: 2,
  /** A value that breaks a rule. */
  validation_error: 2,
  /** A named record does not exist. */
  not_found: 3,
  /** It contradicts what is there. */
  conflict: 1,
  /** The receiver refused a delivery. */
  delivery_refused: 1,
  /** A run that was followed to its end failed; its state was printed. */
  run_failed: 1,
  /** The team's channel did not accept a demo request; its state was printed. */
  not_sent: 1,
  /** A diagnosis found a fault; all findings were printed. */
  fault_found: 1,
  /** The environment or `.local/stack.json` does not say where to work. */
  configuration_error: 1,
  /** The database is of another release. */
  schema_version_error: 1,
  /** The database cannot be reached or does not let us in. */
  service_unavailable: 1,
  /** A bug of this program. */
  internal_error: 1,
} as const;

export type CliErrorCode = keyof typeof cliErrors;

/** Fields of an error in `--json`, beside code and message. */
export interface ErrorDetails {
  /** All that is wrong with a definition, each with its place. */
  faults?: DefinitionError['faults'];
  /** Response of the receiver. */
  status?: number;
  answer?: unknown;
}

/** An error that the user of the tool can act on. */
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
