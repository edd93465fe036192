import { execFile } from 'node:child_process';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '..', '..');

interface Component {
  name: string;
  group?: string;
  version: string;
  purl: string;
  externalReferences?: { hashes: { alg: string; content: string }[] }[];
}

let folder: string;
let texts: string[];
let sbom: { bomFormat: string; specVersion: string; serialNumber: string; components: Component[] };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-sbom-'));
  const env = { ...process.env, SOURCE_DATE_EPOCH: '1700000000' };
  const make = async (name: string) => {
    const file = join(folder, name);
    await promisify(execFile)(process.execPath, [join(root, 'infra/images/sbom.ts'), file], { env });
    return readFile(file, 'utf8');
  };
  texts = await Promise.all(['one.json', 'two.json'].map(make));
  sbom = JSON.parse(texts[0]!);
});
afterAll(() => rm(folder, { recursive: true }));

const nameOf = ({ group, name }: Component) => (group ? `${group}/${name}` : name);

test('the bill of materials is CycloneDX, and identical for the same lockfile', () => {
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { timestamp: '2023-11-14T22:13:20.000Z' } });
  expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(texts[1]).toBe(texts[0]);
});

test('the bill of materials has every declared library, in the version of the catalog', async () => {
  const { catalog } = parse(await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8')) as {
    catalog: Record<string, string>;
  };
  const left = new Set(['@relata/testing', '@relata/embedded']);
  const manifests = await Promise.all(
    (await Array.fromAsync(glob('{apps,packages}/*/package.json', { cwd: root }))).map(
      async (file) => JSON.parse(await readFile(join(root, file), 'utf8')) as Manifest,
    ),
  );
  const named = manifests
    .filter(({ name }) => !left.has(name))
    .flatMap(({ dependencies = {} }) => Object.entries(dependencies))
    .filter(([, version]) => version === 'catalog:')
    .map(([name]) => `${name}@${catalog[name]}`);
  const listed = new Set(sbom.components.map((component) => `${nameOf(component)}@${component.version}`));
  expect([...new Set(named)].filter((each) => !listed.has(each))).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
}

test('every listed library has its hash from the lockfile, and test libraries are left out', () => {
  const others = sbom.components.filter(({ group }) => group !== '@relata');
  const hashes = ({ externalReferences = [] }: Component) => externalReferences.flatMap((one) => one.hashes);
  expect(others.filter((one) => !hashes(one).some(({ alg }) => alg === 'SHA-512')).map(nameOf)).toEqual([]);
  const names = sbom.components.map(nameOf);
  expect(
    names.filter((name) => /^(vitest|turbo|oxlint|oxfmt|knip|playwright-core|testcontainers)$/.test(name)),
  ).toEqual([]);
});
