import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// Writes the components of the image, except Node and its system, as CycloneDX:
//   node infra/images/sbom.ts FILE
// It also runs in the build of the image, which has only Node at that point.

interface Sbom {
  serialNumber: string;
  metadata: { timestamp?: string };
  components: { 'bom-ref': string }[];
  dependencies?: unknown;
}

const root = resolve(import.meta.dirname, '..', '..');

/** Arguments of pnpm that list the components of bundles and browser scripts, and the build tools. */
const args = [
  'sbom',
  '--lockfile-only',
  '--prod',
  '--sbom-format=cyclonedx',
  '--sbom-type=application',
  '--filter-prod={./apps/*}...',
];

const file = process.argv[2];
if (file === undefined) throw new Error('Usage: npm run sbom -- FILE');
writeFileSync(file, `${JSON.stringify(reproducible(listed()), null, 2)}\n`);

function listed(): Sbom {
  const folder = mkdtempSync(join(tmpdir(), 'relata-sbom-'));
  try {
    const out = join(folder, 'sbom.json');
    const [program, ...before] = pnpm();
    execFileSync(program, [...before, ...args, '--out', out], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    return JSON.parse(readFileSync(out, 'utf8')) as Sbom;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the command of pnpm. A checkout uses the pnpm that bootstrap.mjs has installed, which needs no registry. The
 * image's build fetches pnpm.
 */
function pnpm(): [program: string, ...args: string[]] {
  const installed = join(root, 'node_modules/.bin/pnpm');
  if (existsSync(installed)) return [installed];
  const fetch = [process.execPath, ['infra/pnpm.mjs', '.local/pnpm'], { cwd: root, encoding: 'utf8' }] as const;
  return ['npx', '--yes', `--package=${execFileSync(...fetch).trim()}`, 'pnpm'];
}

/**
 * Returns a bill of materials that is always the same for the same lockfile: sorted, with a serial number that depends
 * on its content, and with no time except SOURCE_DATE_EPOCH. Dependencies between components are left out, because pnpm
 * lists them differently in each run.
 */
function reproducible({ serialNumber: _, dependencies: __, metadata, components, ...sbom }: Sbom): object {
  const { timestamp: ___, ...about } = metadata;
  const epoch = process.env['SOURCE_DATE_EPOCH'];
  const content = {
    ...sbom,
    metadata: { ...(epoch && { timestamp: new Date(Number(epoch) * 1_000).toISOString() }), ...about },
    components: components.toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  };
  return { ...content, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}` };
}

/** Returns a UUID that depends only on a string (version 8, RFC 9562). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
