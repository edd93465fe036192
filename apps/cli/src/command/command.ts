import type { Database } from '@relata/db';
import type { Actor, Bus, Operator } from '@relata/events';
import type { z } from 'zod';
import type { CliError } from '../output/cli.error.ts';
import type { Result } from '../output/print-result.ts';
import type { Column } from '../output/result.format.ts';
import type { Parameter, Parameters } from './parameter.ts';

export interface CommandContext {
  database: Database;
  databaseUrl: string;
  /** Longest wait for a connection to the database. */
  connectTimeoutMs: number;
  nats: { url: string; prefix: string };
  bus: Bus;
  /** The user of the CLI. */
  operator: Operator;
  /** Returns the user of the CLI as an actor in this organization. */
  actorIn(orgId: string): Actor;
  /** Resources of the command, disposed in reverse order after the result has been printed. */
  stack: AsyncDisposableStack;
  /** Prints a line for people immediately, before the result; with `--json` only the result is printed. */
  say(line: string): void;
  /** Prints a sentence below the result, or with `--json` on standard error. */
  afterwards(sentence: string): void;
}

type Typed<Given extends Parameters> = { [Name in keyof Given]: z.output<Given[Name]['schema']> };

/** Input of a command. A parameter with `resolve` contains the record that it found. */
type Input<Given extends Parameters> = {
  [Name in keyof Given]: Resolved<Given[Name], z.output<Given[Name]['schema']>>;
};

type Resolved<Given extends Parameter, Text> = Given extends {
  resolve: Required<Parameter<z.ZodType, infer Found>>['resolve'];
}
  ? Text extends readonly unknown[]
    ? Found[]
    : Text extends undefined
      ? undefined
      : Found
  : Text;

type RowOf<Out> = Out extends readonly (infer Row)[] ? Row : Out;

interface CommandSpec<Args extends Parameters, Options extends Parameters, Out extends Result> {
  name: string;
  summary: string;
  arguments?: Args;
  options?: Options;
  /** Command lines for the help, without `relata`. */
  examples: readonly string[];
  /** Checks several options together; returns the problem, if there is one. */
  check?(input: Typed<Args & Options>): string | undefined;
  /** Columns of a list in text output; `--json` shows all fields. */
  columns?: readonly Column<RowOf<Out>>[];
  /** Returns the text output of a result that fits neither a record nor a table. */
  view?(result: Out): string;
  /** Returns a sentence for people, to be printed below the result. */
  note?(result: Out): string | undefined;
  /** Returns an error to print after the result. */
  fault?(result: Out): CliError | undefined;
  /** True for commands that do not need the schema of this release: `migrate`, `doctor`, `backup`, `restore`. */
  takesAnySchema?: boolean;
  /** True for commands that need no connection. Their context is empty. */
  isLocal?: boolean;
  run(context: CommandContext, input: Input<Args & Options>): Promise<Out>;
}

export type Command = CommandSpec<Parameters, Parameters, Result>;

/** Declares a command by its input and its action. Parsing, help and printing are derived from the declaration. */
export function command<Out extends Result, Args extends Parameters = {}, Options extends Parameters = {}>(
  spec: CommandSpec<Args, Options, Out>,
): Command {
  return spec as unknown as Command;
}

/** Commands about one kind of object: `relata <noun> <command>`. */
export interface CommandGroup {
  name: string;
  summary: string;
  commands: readonly Command[];
}
