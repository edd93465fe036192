import { openDatabase } from '@relata/db';
import { diagnose, type Finding } from '@relata/diagnosis';
import { Messaging } from '@relata/messaging';
import { emptyVariables } from '@relata/runtime';
import { command } from '../../command/command.ts';
import { findStackOn } from '../../command/stack-file.ts';
import { CliError } from '../../output/cli.error.ts';
import { findKeys } from '../secrets/secret-keys.ts';

/** Shorter than a check may take, so that what is late has an end in the server too. */
const statementTimeoutMs = 4_000;
const connectTimeoutMs = 3_000;

export const doctor = command({
  name: 'doctor',
  summary: 'Check the database, NATS, the settings and what waits, and say what to do',
  examples: ['doctor', 'doctor --json'],
  takesAnySchema: true,
  run: ({ databaseUrl, nats, stack }) => {
    const pool = { name: 'relata-doctor', poolMax: 3, statementTimeoutMs, connectTimeoutMs };
    return diagnose({
      database: stack.use(openDatabase({ url: appsUrl(databaseUrl), ...pool })),
      messaging: stack.use(new Messaging({ ...nats, ...expectedCopies(), name: 'relata-doctor' })),
      environment: process.env,
      emptyVariables: emptyVariables(),
      keysOf: (setting) => findKeys(setting, databaseUrl),
      now: () => Date.now(),
    });
  },
  view: findingsText,
  fault: (findings) => {
    const faults = findings.filter(({ level }) => level === 'fault').map(({ check }) => check);
    return faults.length === 0 ? undefined : new CliError('fault_found', `Faults: ${faults.join(', ')}.`);
  },
});

/** The tool is given the owner of the local stack, whose apps have a role of their own. */
const appsUrl = (databaseUrl: string) => findStackOn(databaseUrl)?.postgres?.app_url ?? databaseUrl;

/** Copies of the stream, which only the workers need be given. */
function expectedCopies(): { streamReplicas?: number } {
  const copies = Number(process.env['NATS_STREAM_REPLICAS']);
  return copies > 0 ? { streamReplicas: copies } : {};
}

/** A line for each check, and below it what to do. */
function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map(({ check, level, found, advice }) => {
      const line = `${level.padEnd(7)}  ${check.padEnd(width)}  ${found}`;
      return advice === null ? line : `${line}\n${' '.repeat(width + 11)}${advice}`;
    })
    .join('\n');
}
