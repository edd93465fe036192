import { readFileSync, realpathSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';

/** The user that a server runs as if we are root. `isShutOut` is true if file modes deny this user a needed path. */
export interface SystemAccount {
  uid: number;
  gid: number;
  isShutOut: boolean;
}

export interface Launch {
  command: string;
  args: string[];
  uid?: number;
  gid?: number;
}

/**
 * Returns the account for PostgreSQL, which refuses to run as root: the user `postgres`, or `nobody` if that is
 * missing. Returns undefined if we are not root.
 */
export function serverAccount(neededPaths: readonly string[]): SystemAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ids = idsOf('postgres') ?? idsOf('nobody') ?? { uid: 65_534, gid: 65_534 };
  return { ...ids, isShutOut: neededPaths.some((path) => !canReach(path, ids)) };
}

function idsOf(user: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((row) => row.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

// Checks the search bits of the path and of every folder above it.
function canReach(path: string, { uid, gid }: { uid: number; gid: number }): boolean {
  for (let at = realpathSync(path); ; at = dirname(at)) {
    const entry = statSync(at);
    const shift = entry.uid === uid ? 6 : entry.gid === gid ? 3 : 0;
    if (((entry.mode >> shift) & 0o1) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

let hasSetpriv: boolean | undefined;

// Returns true for the setpriv of util-linux; busybox's lacks the options used below.
function findSetpriv(): boolean {
  hasSetpriv ??=
    process.platform === 'linux' && String(spawnSync('setpriv', ['--help']).stdout).includes('--pdeathsig');
  return hasSetpriv;
}

/**
 * Returns the command and options to spawn a server as this account. The server gets the signal `parentDeath` when the
 * process that started it is killed. setpriv replaces itself by the server, so the process id is that of the server.
 */
export function launch(
  command: string,
  args: readonly string[],
  account: SystemAccount | undefined,
  parentDeath: 'INT' | 'TERM' | 'KILL',
): Launch {
  if (findSetpriv()) {
    const options = [...accountOptions(account), '--pdeathsig', parentDeath];
    return { command: 'setpriv', args: [...options, command, ...args] };
  }
  if (!account) return { command, args: [...args] };
  if (account.isShutOut) throw new Error(shutOutMessage(account));
  return { command, args: [...args], uid: account.uid, gid: account.gid };
}

// The account cannot reach a clone below a folder that only root can enter (/root, mktemp -d). CAP_DAC_OVERRIDE lifts
// this and all other restrictions by file modes. It needs no_setuid_fixup: PostgreSQL checks its own program with
// access(2), and without this bit access(2) ignores the capabilities of any user except root.
const override = [
  '--securebits=+no_setuid_fixup',
  '--inh-caps=-all,+dac_override',
  '--ambient-caps=-all,+dac_override',
];

function accountOptions(account: SystemAccount | undefined): string[] {
  if (!account) return [];
  const ids = ['--reuid', String(account.uid), '--regid', String(account.gid), '--clear-groups'];
  return account.isShutOut ? [...ids, ...override] : ids;
}

function shutOutMessage({ uid }: SystemAccount): string {
  return (
    `PostgreSQL does not run as root, and the user it would run as (uid ${uid}) may not enter this folder. ` +
    'Install setpriv (package util-linux), start as another user, move the checkout to a folder that others may enter, ' +
    'or set DATABASE_URL to a PostgreSQL of your own.'
  );
}
