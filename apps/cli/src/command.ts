import type { Database } from '@relata/db';
import type { z } from 'zod';
import type { Parameters } from './parameter.ts';
import type { Result } from './result.print.ts';

/** What a command works with. */
export interface CommandContext {
  database: Database;
  databaseUrl: string;
  natsUrl: string;
  /** Closed in reverse order after the result is printed. */
  stack: AsyncDisposableStack;
}

type Input<Given extends Parameters> = { [Name in keyof Given]: z.output<Given[Name]['schema']> };

export interface CommandSpec<Args extends Parameters, Options extends Parameters, Out extends Result> {
  name: string;
  summary: string;
  arguments?: Args;
  options?: Options;
  /** Command lines for the help, without `relata`. */
  examples: readonly string[];
  /** A rule about several options together: what is wrong, if anything. */
  check?(input: Input<Args & Options>): string | undefined;
  run(context: CommandContext, input: Input<Args & Options>): Promise<Out>;
  /** What people see of a list; `--json` shows all. */
  columns?: readonly string[];
  /** A sentence for people, below the result. */
  note?(result: Out): string | undefined;
  /** The one command that works on a database of another release is the one that mends it. */
  takesAnySchema?: boolean;
}

export type Command = CommandSpec<Parameters, Parameters, Result>;

/** Declares a command: what it takes, what it does; parsing, help and printing follow from that. */
export function command<Out extends Result, Args extends Parameters = {}, Options extends Parameters = {}>(
  spec: CommandSpec<Args, Options, Out>,
): Command {
  return spec as unknown as Command;
}

/** Commands about one kind of thing: `relata <noun> <command>`. */
export interface Noun {
  name: string;
  summary: string;
  commands: readonly Command[];
}
