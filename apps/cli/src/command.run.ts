import { checkSchema, openDatabase } from '@relata/db';
import type { Command } from './command.ts';
import { readInput } from './command.input.ts';
import { type Connections, findConnections } from './connections.ts';
import { explainDatabase } from './database.error.ts';
import { printResult } from './result.print.ts';

/** Reads what was typed, opens what is needed, does it and prints the result. */
export async function runCommand(command: Command, given: Record<string, unknown>, isJson: boolean): Promise<void> {
  const input = readInput(command, given);
  const connections = findConnections();
  try {
    await runOn(connections, command, input, isJson);
  } catch (error) {
    throw explainDatabase(error, connections.database.url);
  }
}

async function runOn(
  { database: options, natsUrl }: Connections,
  command: Command,
  input: Record<string, unknown>,
  isJson: boolean,
) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(openDatabase(options));
  if (!command.takesAnySchema) await checkSchema(database);
  const result = await command.run({ database, databaseUrl: options.url, natsUrl, stack }, input);
  printResult(result, { isJson, columns: command.columns, note: command.note?.(result) });
}
