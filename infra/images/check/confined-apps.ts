import { nodeOptions } from '@relata/service';
import { bundleIn, services } from '../../services.ts';
import { docker, tryDocker } from './docker.ts';

/** Options as strict as the profile `restricted` of Kubernetes, and without a network. */
const confined = [
  ...'run --rm --read-only --network=none --user=1000:1000 --cap-drop=ALL'.split(' '),
  '--security-opt=no-new-privileges:true',
];

/**
 * Starts each app with the options in `confined` and with every setting empty. The app must load all its code, and then
 * exit because a setting is missing. Throws if an app exits for a different reason.
 */
export function checkConfinedApps(image: string): void {
  for (const { name, settings } of services) {
    const empty = Object.keys(settings).flatMap((setting) => ['--env', `${setting}=`]);
    const args = [...confined, ...empty, '--entrypoint=node', image, ...nodeOptions, bundleIn(name)];
    const { status, text } = tryDocker(args);
    if (status === 0 || !text.includes('DATABASE_URL: is required'))
      throw new Error(
        `${name} must end because a setting is missing, but ended with ${status}:\n${text.slice(-2_000)}`,
      );
  }
}

/** Throws if the image runs as the wrong user, lacks a label, or has a secret in its environment. */
export function checkImage(image: string): void {
  const [inspected] = JSON.parse(docker(['image', 'inspect', image])) as [{ Config: ImageConfig }];
  const { User, Labels, Env } = inspected.Config;
  if (User !== '1000:1000') throw new Error(`The image must run as 1000:1000, but runs as ${User}.`);
  for (const label of ['title', 'description', 'licenses', 'version', 'revision', 'created', 'base.name'])
    if (!Labels?.[`org.opencontainers.image.${label}`]) throw new Error(`The image has no label ${label}.`);
  const secret = Env.find((variable) => /(PASSWORD|SECRET|TOKEN|KEYS?)=/.test(variable));
  if (secret !== undefined) throw new Error(`The image must not have ${secret.split('=')[0]} in its environment.`);
}

/** Folders of bundles, which also contain the licences. */
const bundleDirs = ['dist', 'apps/chat-widget/dist', 'apps/console-web/dist'];

/** Throws if the image does not list every library that a bundle contains. */
export function checkSbom(image: string): void {
  const read = (file: string) => docker([...confined, '--entrypoint=cat', image, file]);
  const { bomFormat, components } = JSON.parse(read('sbom.cdx.json')) as Sbom;
  const listed = new Set(components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`));
  const bundled = bundleDirs.flatMap((dir) => librariesIn(read(`${dir}/LICENSES.txt`)));
  const missing = bundled.filter((library) => !listed.has(library));
  if (bomFormat !== 'CycloneDX' || bundled.length < 50 || missing.length > 0)
    throw new Error(`The image's bill of materials lacks libraries of the bundles: ${missing.join(', ')}`);
}

const librariesIn = (licences: string) =>
  [...licences.matchAll(/^=== (\S+): .* ===$/gm)].map(([, library]) => library!);

interface Sbom {
  bomFormat: string;
  components: { group?: string; name: string; version: string }[];
}

interface ImageConfig {
  User: string;
  Labels?: Record<string, string>;
  Env: string[];
}
