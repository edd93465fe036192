import { checkSchema, openDatabase } from '@relata/db';
import type { Command, CommandContext } from './command.ts';
import { readInput } from './command.input.ts';
import { type Connections, findConnections } from './connections.ts';
import { explainDatabase } from './database.error.ts';
import { printLine, printResult, type Result } from './result.print.ts';

/** Reads what was typed, opens what is needed, does it and prints the result. */
export async function runCommand(command: Command, given: Record<string, unknown>, isJson: boolean): Promise<void> {
  const input = readInput(command, given);
  if ('runLocally' in command) return print(command, await command.runLocally(input), isJson);
  const connections = findConnections();
  try {
    await runOn(connections, command, input, isJson);
  } catch (error) {
    throw explainDatabase(error, connections.database.url);
  }
}

async function runOn(
  { database: options, nats }: Connections,
  command: Exclude<Command, { runLocally: unknown }>,
  input: Record<string, unknown>,
  isJson: boolean,
) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(openDatabase(options));
  if (!command.takesAnySchema) await checkSchema(database);
  const say: CommandContext['say'] = (line) => void (isJson || printLine(line));
  print(command, await command.run({ database, databaseUrl: options.url, nats, stack, say }, input), isJson);
}

function print(command: Command, result: Result, isJson: boolean): void {
  const { columns, view, note } = command;
  printResult(result, { isJson, columns, view: isJson ? undefined : view?.(result), note: note?.(result) });
  const fault = command.fault?.(result);
  if (fault) throw fault;
}
