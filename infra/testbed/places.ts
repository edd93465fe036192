import { join, resolve } from 'node:path';
import type { Service } from '@relata/service';

const root = resolve(import.meta.dirname, '../..');

/** Folder of downloaded programs, such as nats-server. */
export const binDir = join(root, '.local/bin');

/** Folder in which Node keeps compiled code between starts. */
export const compiledDir = join(root, '.local/compiled');

export const knowledge = { dir: join(root, 'examples/acme-knowledge'), baseUrl: 'https://www.acme.example/docs/' };

/** Returns the source file from which a service can be started. */
export function sourceOf({ name }: Pick<Service, 'name'>): string {
  return join(root, 'apps', name, 'src/main.ts');
}
