import { readFileSync } from 'node:fs';

const compose = new URL('../../../infra/compose/compose.yaml', import.meta.url);

/**
 * Returns the image of a server: the value of the variable, or else its default in the Compose file. Tests thus use the
 * images that are deployed.
 */
export function serverImage(
  variable: 'POSTGRES_IMAGE' | 'NATS_IMAGE',
  environment: NodeJS.ProcessEnv = process.env,
): string {
  const [, named] = new RegExp(`image: \\$\\{${variable}:-(\\S+)\\}`).exec(readFileSync(compose, 'utf8')) ?? [];
  if (named === undefined) throw new Error(`The Compose file has no default image for ${variable}.`);
  return environment[variable] || named;
}
