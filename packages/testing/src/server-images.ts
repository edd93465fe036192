import { readFileSync } from 'node:fs';

const compose = new URL('../../../infra/compose/compose.yaml', import.meta.url);

/**
 * Returns the image of a server in the Compose file, or in the same variable that overrides it there: tests run on what
 * is deployed.
 */
export function serverImage(
  variable: 'POSTGRES_IMAGE' | 'NATS_IMAGE',
  environment: NodeJS.ProcessEnv = process.env,
): string {
  const [, named] = new RegExp(`image: \\$\\{${variable}:-(\\S+)\\}`).exec(readFileSync(compose, 'utf8')) ?? [];
  if (named === undefined) throw new Error(`Compose has no image for ${variable}.`);
  return environment[variable] || named;
}
