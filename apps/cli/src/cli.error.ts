import { AppRoleError, SchemaVersionError } from '@relata/db';
import { SettingsError } from '@relata/runtime';
import { AppError } from '@relata/schemas';
import { SecretError } from '@relata/secrets';
import { DefinitionError } from '@relata/workflows';
import { CommanderError } from 'commander';

/** Every way a command can fail: the code that `--json` shows, and the exit code. */
export const cliErrors = {
  /** The command line itself: an unknown command or option. */
  usage_error: 2,
  /** A value that breaks a rule. */
  validation_error: 2,
  /** What was named does not exist. */
  not_found: 3,
  /** It contradicts what is there. */
  conflict: 1,
  /** The receiver did not take a delivery. */
  delivery_refused: 1,
  /** A run that was followed to its end failed; what is known of it was printed. */
  run_failed: 1,
  /** The team's channel did not take a demo request; what is known of it was printed. */
  not_sent: 1,
  /** The environment or `.local/stack.json` does not say where to work. */
  configuration_error: 1,
  /** The database is of another release. */
  schema_version_error: 1,
  /** The database cannot be reached or does not let us in. */
  service_unavailable: 1,
  /** A fault of this program. */
  internal_error: 1,
} as const;

export type CliErrorCode = keyof typeof cliErrors;

/** What `--json` shows of an error beside its code and its message. */
export interface ErrorDetails {
  /** All that is wrong with a definition, each with its place. */
  faults?: DefinitionError['faults'];
  /** What the receiver answered. */
  status?: number;
  answer?: unknown;
}

/** A fault that whoever typed the command can act on. */
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

/** What is said of anything that was thrown. */
export function explain(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof CommanderError) return new CliError('usage_error', usageMessage(error));
  if (error instanceof DefinitionError) return definitionFault(error);
  if (error instanceof AppError) return appFault(error);
  if (error instanceof SecretError) return new CliError('conflict', error.message);
  if (error instanceof SettingsError || error instanceof AppRoleError)
    return new CliError('configuration_error', error.message);
  if (error instanceof SchemaVersionError) return new CliError('schema_version_error', error.message);
  const message = error instanceof Error ? error.message || error.name : String(error);
  return new CliError('internal_error', `This should not have happened: ${message}`, { cause: error });
}

function definitionFault({ faults }: DefinitionError): CliError {
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
  return new CliError('validation_error', `The definition has ${count}.`, { details: { faults } });
}

/** What an operation of a package has against it. Codes that only HTTP knows are none of this tool's. */
function appFault(error: AppError): CliError {
  const code = (Object.keys(cliErrors) as CliErrorCode[]).find((known) => known === error.code) ?? 'internal_error';
  const details = error.details?.map(({ field, message }) => `${field}: ${message}`).join(' ');
  return new CliError(code, details ?? error.message, { cause: error });
}

function usageMessage({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'A command is missing; --help lists them.' : message.replace(/^error: /, '');
}
