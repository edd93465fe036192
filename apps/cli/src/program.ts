import { Command as Program, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { Command, CommandGroup } from './command/command.ts';
import { runCommand } from './command/run-command.ts';
import { formatExamples, programNotes, formatRequired } from './help.ts';
import { commandGroups } from './command-groups.ts';
import { toFlag, isRequired, type Parameter } from './command/parameter.ts';

/** Creates the parser of all commands. It throws every problem, instead of printing it and ending the process. */
export function createProgram({ isJson }: { isJson: boolean }): Program {
  const program = new Program('relata')
    .description('Operates a Relata service: organizations, keys, workflows, triggers, runs and demo requests.')
    .version(manifest.version)
    .exitOverride()
    // Options after a command belong to it: `--version` of a workflow is not the version of this program.
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: () => undefined, ...(isJson && { writeErr: () => undefined }) })
    .helpCommand('help [command]', 'Show the help of a command')
    .helpOption('-h, --help', 'Show this help')
    .addHelpText('after', programNotes());
  for (const entry of commandGroups)
    if ('commands' in entry) addGroup(program, entry);
    else addCommand(program, entry);
  return program;
}

function addGroup(to: Program, { name, summary, commands }: CommandGroup): void {
  const group = to.command(name).summary(summary).description(`${summary}.`);
  group.addHelpText('after', formatExamples(commands.flatMap(({ examples }) => examples.slice(0, 1))));
  for (const command of commands) addCommand(group, command);
}

function addCommand(to: Program, command: Command): void {
  const { name, summary, arguments: args = {}, options = {}, examples } = command;
  const leaf = to.command(name).summary(summary).description(`${summary}.`);
  // Optional for commander, so that missing arguments are reported together with other problems.
  for (const { value, description } of Object.values(args)) leaf.argument(`[${value}]`, description);
  for (const [key, parameter] of Object.entries(options)) leaf.addOption(optionOf(key, parameter));
  leaf.option('--json', 'Print one JSON document');
  leaf.usage(`${formatRequired(command)} [options]`.trim());
  leaf.addHelpText('after', formatExamples(examples));
  leaf.action(() => runCommand(command, givenOf(command, leaf), leaf.opts()['json'] === true));
}

function optionOf(key: string, parameter: Parameter): Option {
  const { value, repeats } = parameter;
  const option = new Option(value === undefined ? toFlag(key) : `${toFlag(key)} <${value}>`, described(parameter));
  if (repeats) option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
  return option;
}

function described(parameter: Parameter): string {
  if (parameter.env !== undefined) return `${parameter.description} (default: environment variable ${parameter.env})`;
  if (isRequired(parameter)) return `${parameter.description} (required)`;
  const fallback = parameter.schema.safeParse(undefined).data;
  return typeof fallback === 'string' ? `${parameter.description} (default: ${fallback})` : parameter.description;
}

/** Returns the typed values by the names of their parameters. */
function givenOf(command: Command, leaf: Program): Record<string, unknown> {
  const args = Object.entries(command.arguments ?? {}).map(([name, { repeats }], i) => {
    return [name, repeats ? leaf.args.slice(i) : leaf.args[i]];
  });
  const options = Object.entries(command.options ?? {}).map(([name, { env }]) => {
    return [name, typedValue(leaf, name) ?? (env && (process.env[env] || undefined))];
  });
  return Object.fromEntries([...args, ...options]);
}

/** Returns the value of an option. Commander stores `--no-indexes` as `indexes`: false if it is given, true if not. */
function typedValue(leaf: Program, name: string): unknown {
  const option = new Option(toFlag(name));
  const value: unknown = leaf.opts()[option.attributeName()];
  return option.negate ? value === false : value;
}
