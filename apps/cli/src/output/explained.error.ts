import { AppRoleError, SchemaVersionError } from '@relata/db';
import { SettingsError } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';
import { SecretError } from '@relata/secrets';
import { DefinitionError } from '@relata/workflows';
import { CommanderError } from 'commander';
import { CliError } from './cli.error.ts';
import { definitionFault, operationFault } from './operation.error.ts';

/** The error to print for anything that was thrown. */
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
