// Fetches the pnpm that package.json names, and checks it against the hash there: npx checks no hash.
//   node infra/pnpm.mjs <folder>      keeps the package in the folder, and prints the value for `npx --package`
// Plain JavaScript without dependencies: nothing is installed yet.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the path of the verified package, or its name and version if package.json has no hash. */
export function fetchPnpm({ packageManager, folder, env = process.env }) {
  const [spec, hash] = packageManager.split('+');
  if (!hash) return spec;
  const kept = join(resolve(folder), `${spec.replace('@', '-')}.tgz`);
  if (hasHash(kept, hash)) return kept;
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, 'fetching-'));
  try {
    pack(spec, work, env);
    const [name] = readdirSync(work);
    if (!name || !hasHash(join(work, name), hash)) throw new Error(mismatch(spec));
    renameSync(join(work, name), kept);
    return kept;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function pack(spec, folder, env) {
  try {
    const args = ['pack', '--loglevel=error', '--pack-destination', folder, spec];
    execFileSync('npm', args, { env, stdio: ['ignore', 'ignore', 2] });
  } catch (error) {
    if (error.code === 'ENOENT')
      throw new Error('npm was not found. Install npm, which comes with Node, and try again.', { cause: error });
    throw new Error(`npm could not fetch ${spec}; the lines above say why.`, { cause: error });
  }
}

/** Checks a file against a hash: `sha512.` and the digest in hexadecimal, as Corepack writes it. */
function hasHash(file, hash) {
  const [algorithm, expected] = hash.split('.');
  try {
    return createHash(algorithm).update(readFileSync(file)).digest('hex') === expected;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function mismatch(spec) {
  return `The package ${spec} from the registry does not match the hash in package.json. Nothing was installed.`;
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8'));
  console.log(fetchPnpm({ packageManager, folder: process.argv[2] }));
}
