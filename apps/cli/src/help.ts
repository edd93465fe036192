import type { Command } from './command/command.ts';
import { asTyped } from './output/as-typed.ts';
import { toFlag, isRequired } from './command/parameter.ts';

/** Returns the end of `relata --help`. */
export const programNotes = () =>
  asTyped(`
Examples:
  relata orgs create Acme
  relata keys create --org ORG_ID --scope records:read --scope records:write
  relata keys list --org ORG_ID --json
  relata workflows apply inbound-lead.json --org ORG_ID
  relata runs list --status failed
  relata demo-requests resend --unsent

--org takes the id or the name of an organization; its default is the
environment variable RELATA_ORG.

Every command takes --json and then prints one JSON document; errors are
{ "error": code, "message": text } on standard error.

DATABASE_URL, NATS_URL and TEAM_CHANNEL_WEBHOOK_URL select the servers; by
default, those of the running local stack (.local/stack.json, written by
\`npm start\`).

Exit codes: 0 success, 1 failure, 2 wrong usage, 3 not found.`);

export function formatExamples(examples: readonly string[]): string {
  const title = examples.length === 1 ? 'Example' : 'Examples';
  return asTyped(`\n${title}:\n${examples.map((example) => `  relata ${example}`).join('\n')}`);
}

/** Returns the arguments and the required options as they are typed. */
export function formatRequired({ arguments: args = {}, options = {} }: Command): string {
  const required = Object.entries(options).filter(([, option]) => isRequired(option));
  const typed = [
    ...Object.values(args).map((argument) => (isRequired(argument) ? argument.value : `[${argument.value}]`)),
    ...required.map(([name, option]) => `${toFlag(name)} ${option.value}`),
  ];
  return typed.join(' ');
}
