import { openDatabase } from '@relata/db';
import { diagnose, type Finding, isUnasked, type KeysSetting } from '@relata/diagnosis';
import { Messaging } from '@relata/messaging';
import { emptyVariables } from '@relata/runtime';
import { command } from '../../command/command.ts';
import { addressOf } from '../../command/database.error.ts';
import { findStackOn } from '../../command/stack-file.ts';
import { asTyped } from '../../output/as-typed.ts';
import { CliError } from '../../output/cli.error.ts';
import { findKeys } from '../secrets/secret-keys.ts';

/** Shorter than the time limit of a check, so that the server cancels a slow statement before the check gives up. */
const statementTimeoutMs = 4_000;
const answerMs = 5_000;

export const doctor = command({
  name: 'doctor',
  summary: 'Check the database, NATS, settings and backlogs, and suggest fixes',
  examples: ['doctor', 'doctor --json'],
  takesAnySchema: true,
  run: ({ databaseUrl, connectTimeoutMs, nats, stack, say }) => {
    const url = appsUrl(databaseUrl);
    const pool = { name: 'relata-doctor', poolMax: 3, statementTimeoutMs, connectTimeoutMs };
    const context = {
      database: stack.use(openDatabase({ url, ...pool })),
      messaging: stack.use(new Messaging({ ...nats, ...expectedCopies(), name: 'relata-doctor' })),
      environment: process.env,
      emptyVariables: emptyVariables(),
      keysOf: (setting: KeysSetting) => findKeys(setting, databaseUrl),
      now: () => Date.now(),
    };
    const limitMs = connectTimeoutMs + answerMs;
    return diagnose(context, { limitMs, onSlow: (check) => say(`Waiting for ${awaited(check, url)}.`) });
  },
  view: findingsText,
  fault: (findings) => {
    const faults = findings.filter(({ level }) => level === 'fault').map(({ check }) => check);
    return faults.length === 0 ? undefined : new CliError('fault_found', `Faults: ${faults.join(', ')}.`);
  },
});

/**
 * Returns the text that says what a check waits for: a server for `database` and `nats`, otherwise the check itself.
 */
function awaited(check: string, databaseUrl: string): string {
  if (check === 'database') return `PostgreSQL at ${addressOf(databaseUrl)}`;
  return check === 'nats' ? 'NATS' : `the check ${check}`;
}

/** Returns the URL with the role of the apps. On the local stack, the CLI's own URL has the role of the owner. */
const appsUrl = (databaseUrl: string) => findStackOn(databaseUrl)?.postgres?.app_url ?? databaseUrl;

/** Returns the expected number of stream replicas, a setting that otherwise only the workers need. */
function expectedCopies(): { streamReplicas?: number } {
  const copies = Number(process.env['NATS_STREAM_REPLICAS']);
  return copies > 0 ? { streamReplicas: copies } : {};
}

/**
 * Formats findings: a line for each check, with its advice. Checks that were skipped for the same reason share a line.
 */
function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const unasked = Map.groupBy(findings.filter(isUnasked), ({ advice }) => advice);
  const skipped = [...unasked].map(([advice, group]): Finding => {
    const names = group.map(({ check }) => check).join(', ');
    return { check: '', level: 'warning', found: `Not checked: ${names}.`, advice };
  });
  return [...findings.filter((finding) => !isUnasked(finding)), ...skipped]
    .map(({ check, level, found, advice }) => {
      const line = `${level.padEnd(7)}  ${check.padEnd(width)}  ${found}`;
      return advice === null ? line : `${line}\n${' '.repeat(width + 11)}${asTyped(advice)}`;
    })
    .join('\n');
}
