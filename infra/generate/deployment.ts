import { nodeOptions, type Service } from '@relata/service';
import { patternOf, routes } from '../local/gateway/routes.ts';
import { entryIn, services } from '../services.ts';
import { fillRegion } from './region.ts';

/** The routes of the proxy of Compose, which are those of the gateway of `npm start`. */
export function caddyfile(present: string): string {
  const others = routes.slice(0, -1).map(({ prefix, app }) => `~${patternOf(prefix)} ${app}`);
  return fillRegion(present, 'routes', [...others, `default ${routes.at(-1)!.app}`]);
}

/** The file that each app is started from, and its flags where they differ from those of the image. */
export function composeFile(present: string): string {
  return services.reduce((text, service) => fillRegion(text, service.name, startIn(service)), present);
}

function startIn({ name, nodeOptions: flags }: Service): string[] {
  const command = `command: [${entryIn(name)}]`;
  return flags.join() === nodeOptions.join() ? [command] : [command, `entrypoint: [node, ${flags.join(', ')}]`];
}

/** The commands that start each app once with its flags, to prove that it is complete, and the flags of the image. */
export function dockerfile(present: string): string {
  const proofs = services.map(({ name, nodeOptions: flags }) => `    proved ${flags.join(' ')} ${entryIn(name)} && \\`);
  const proof = [
    `RUN proved() { node "$@" 2>&1 | grep 'DATABASE_URL: is required'; } && \\`,
    ...proofs,
    `    node ${nodeOptions.join(' ')} apps/cli/src/main.ts --help >/dev/null`,
  ];
  const entrypoint = ['node', ...nodeOptions].map((part) => JSON.stringify(part)).join(', ');
  return fillRegion(fillRegion(present, 'proof', proof), 'entrypoint', [`ENTRYPOINT [${entrypoint}]`]);
}
