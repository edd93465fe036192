import { randomUUID } from 'node:crypto';
import { checkSchema, type Db, openDatabase } from '@relata/db';
import { organizationActor, type Operator } from '@relata/events';
import type { Command, CommandContext } from './command.ts';
import { commandBus } from './command-bus.ts';
import { readInput } from './command-input.ts';
import { type Connections, findConnections } from './connections.ts';
import { explainDatabase } from './database.error.ts';
import { printLine, printResult, printWarning, type Result } from '../output/print-result.ts';

export async function runCommand(command: Command, given: Record<string, unknown>, isJson: boolean): Promise<void> {
  const input = readInput(command, given);
  if (command.isLocal) return print(command, await command.run({} as CommandContext, input), { isJson, notes: [] });
  const connections = findConnections();
  try {
    await runOn(connections, command, input, isJson);
  } catch (error) {
    throw explainDatabase(error, connections.database.url);
  }
}

async function runOn(
  { database: options, nats }: Connections,
  command: Command,
  input: Record<string, unknown>,
  isJson: boolean,
) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(openDatabase(options));
  if (!command.takesAnySchema) await checkSchema(database);
  const notes: string[] = [];
  const operator: Operator = { kind: 'operator', requestId: randomUUID() };
  const context: CommandContext = {
    database,
    databaseUrl: options.url,
    connectTimeoutMs: options.connectTimeoutMs,
    nats,
    bus: commandBus(nats, stack),
    operator,
    actorIn: (orgId) => organizationActor(operator, orgId),
    stack,
    say: (line) => void (isJson || printLine(line)),
    afterwards: (sentence) => void notes.push(sentence),
  };
  const result = await command.run(context, await resolved(database, command, input));
  print(command, result, { isJson, notes });
}

/**
 * Returns the input with each id or name replaced by its record. Looks up the organization first, because the search
 * for the other records needs its id.
 */
async function resolved(db: Db, { arguments: args, options }: Command, input: Record<string, unknown>) {
  const found: Record<string, unknown> = { ...input };
  const { org, ...others } = { ...args, ...options };
  if (org?.resolve && typeof input['org'] === 'string') found['org'] = await org.resolve(db, input['org'], undefined);
  const orgId = found['org'] as string | undefined;
  for (const [name, { resolve }] of Object.entries(others)) {
    const typed = input[name];
    if (!resolve || typed === undefined) continue;
    const one = (text: string) => resolve(db, text, orgId);
    found[name] = Array.isArray(typed) ? await Promise.all(typed.map(one)) : await one(typed as string);
  }
  return found;
}

function print(command: Command, result: Result, { isJson, notes }: { isJson: boolean; notes: string[] }): void {
  const { columns, view, note } = command;
  const below = [note?.(result), ...notes].filter((text) => text !== undefined).join('\n');
  printResult(result, { isJson, columns, view: isJson ? undefined : view?.(result), note: below });
  if (isJson) notes.forEach(printWarning);
  const fault = command.fault?.(result);
  if (fault) throw fault;
}
