import { spawnSync } from 'node:child_process';
import dns from 'node:dns';
import { get } from 'node:http';
import { close, closeSync, constants, mkdtempSync, open, openSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { slowDomain } from './slow-domain.ts';

// Stands in for a name server that does not answer, because only an administrator could configure one for a process. A
// look-up in that domain blocks a thread as getaddrinfo(3) would, by opening a pipe without a writer. Every other name
// is looked up as usual.

/** The time after which the system's resolver gives up by default: two attempts of five seconds. */
const givenUpAfterMs = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'relata-names-'));
const pipe = join(folder, 'pipe');
if (spawnSync('mkfifo', [pipe]).status !== 0) throw new Error('mkfifo could not create a pipe.');
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
setInterval(giveUp, givenUpAfterMs).unref();

/** Ends the look-ups that block a thread at this moment. */
function giveUp(): void {
  try {
    closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // No look-up is blocked.
  }
}

/** Each look-up that holds a thread keeps a request to this URL of the suite open, so that the suite can count it. */
const counting = new URL('/names', process.env['TEAM_CHANNEL_WEBHOOK_URL']);

function holdThread(done: () => void): void {
  const counted = get(counting).on('error', () => undefined);
  open(pipe, 'r', (_error, descriptor) => {
    if (descriptor !== undefined) close(descriptor);
    counted.destroy();
    done();
  });
}

const { lookup } = dns;
const lookupPromise = dns.promises.lookup;
const isSlow = (name: unknown) => typeof name === 'string' && name.endsWith(slowDomain);
const notFound = (name: string) => Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN' });

type Callback = (error: Error | null, ...results: unknown[]) => void;

dns.lookup = ((name: string, ...rest: unknown[]) => {
  const response = rest.at(-1) as Callback;
  if (isSlow(name)) holdThread(() => response(notFound(name)));
  else Reflect.apply(lookup, dns, [name, ...rest]);
}) as typeof dns.lookup;

dns.promises.lookup = ((name: string, ...rest: unknown[]) => {
  if (!isSlow(name)) return Reflect.apply(lookupPromise, dns.promises, [name, ...rest]);
  return new Promise((_, reject) => holdThread(() => reject(notFound(name))));
}) as typeof dns.promises.lookup;

syncBuiltinESMExports();
