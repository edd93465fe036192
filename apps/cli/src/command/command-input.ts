import { toErrorDetails } from '@relata/schemas/errors';
import { z } from 'zod';
import { CliError } from '../output/cli.error.ts';
import type { Command } from './command.ts';
import { toFlag } from './parameter.ts';

/**
 * Parses the typed values. Throws one CliError that names every invalid value, or else the problem that `check` found.
 */
export function readInput(command: Command, given: Record<string, unknown>): Record<string, unknown> {
  const { arguments: args = {}, options = {} } = command;
  const all = Object.entries({ ...args, ...options });
  const parsed = z.object(Object.fromEntries(all.map(([name, { schema }]) => [name, schema]))).safeParse(given);
  if (!parsed.success) throw new CliError('validation_error', problemsOf(parsed.error, command, given));
  const problem = command.check?.(parsed.data);
  if (problem !== undefined) throw new CliError('validation_error', problem);
  return parsed.data;
}

function problemsOf({ issues }: z.ZodError, command: Command, given: Record<string, unknown>): string {
  const problems = toErrorDetails('query', issues, given).map(({ field, message }) => {
    const [name = '', index] = field.split('.');
    const typed = index === undefined ? given[name] : (given[name] as unknown[])[Number(index)];
    return `${labelOf(name, command)}${shown(typed)}: ${message}`;
  });
  return problems.join(' ');
}

function labelOf(name: string, command: Command): string {
  return command.arguments?.[name]?.value ?? toFlag(name);
}

const shownCharactersMax = 60;

function shown(typed: unknown): string {
  if (typeof typed !== 'string') return '';
  return ` ${JSON.stringify(typed.length > shownCharactersMax ? `${typed.slice(0, shownCharactersMax)}…` : typed)}`;
}
