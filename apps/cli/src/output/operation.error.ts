import { AppRoleError, SchemaVersionError } from '@relata/db';
import { SettingsError } from '@relata/runtime';
import { AppError, type ErrorCode } from '@relata/schemas/errors';
import { SecretError } from '@relata/secrets';
import { DefinitionError } from '@relata/workflows';
import { CommanderError } from 'commander';
import { CliError, type CliErrorCode, cliErrors } from './cli.error.ts';

/** Hints for errors of an operation, by error code. */
export type Hints = Partial<Record<ErrorCode, string>>;

/**
 * Returns the result of a package's operation. If the operation throws an AppError, adds a hint about this CLI, and
 * renames the fields to the typed options.
 */
export async function hinted<Result>(
  operation: Promise<Result>,
  hints: Hints,
  labels: Record<string, string> = {},
): Promise<Result> {
  try {
    return await operation;
  } catch (error) {
    throw error instanceof AppError ? operationFault(error, hints[error.code], labels) : error;
  }
}

/** Converts an error of a package's operation. A code that exists only in HTTP becomes `internal_error`. */
function operationFault(error: AppError, hint?: string, labels: Record<string, string> = {}): CliError {
  const { cause } = error;
  if (cause instanceof DefinitionError && error.code === 'validation_error') return definitionFault(cause);
  const code = (Object.keys(cliErrors) as CliErrorCode[]).find((known) => known === error.code) ?? 'internal_error';
  const problems = error.details?.map(({ field, message }) =>
    field === '' ? message : `${labels[field] ?? field}: ${message}`,
  );
  const message = problems?.join(' ') ?? error.message;
  const details = cause instanceof DefinitionError ? { faults: cause.faults } : {};
  return new CliError(code, hint === undefined ? message : `${message} ${hint}`, { cause: error, details });
}

function definitionFault({ faults }: DefinitionError): CliError {
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
  return new CliError('validation_error', `The definition has ${count}.`, { details: { faults } });
}

/** Returns the error to print for any thrown value. */
export function explain(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof CommanderError) return new CliError('usage_error', usageMessage(error));
  if (error instanceof DefinitionError) return definitionFault(error);
  if (error instanceof AppError) return operationFault(error);
  if (error instanceof SecretError) return new CliError('conflict', error.message);
  if (error instanceof SettingsError || error instanceof AppRoleError)
    return new CliError('configuration_error', error.message);
  if (error instanceof SchemaVersionError) return new CliError('schema_version_error', error.message);
  const message = error instanceof Error ? error.message || error.name : String(error);
  return new CliError('internal_error', `Unexpected error: ${message}`, { cause: error });
}

function usageMessage({ code, message }: CommanderError): string {
  return code === 'commander.help'
    ? 'No command was given; --help lists the commands.'
    : message.replace(/^error: /, '');
}
