import type { ComposedService } from './composed-service.ts';
import type { Stack } from './docker.ts';

const kept = 'kept@robotics.example';
const lost = 'lost@robotics.example';
const present = 'relata';
const restored = 'relata_restored';

/**
 * Makes a backup with the profile `backup`, restores it into a new database, and switches the service to the new
 * database. Checks that deliveries accepted before the backup exist there, that later ones do not, and that the service
 * works. Then switches back to the old database, and once more to the new one.
 */
export async function checkBackups(stack: Stack, service: ComposedService): Promise<void> {
  await service.becomesContact(kept);
  // The service is healthy as soon as its first backup exists.
  stack.set('COMPOSE_PROFILES', 'backup');
  stack.up();
  const [file, ...others] = listBackups(stack);
  if (file === undefined || others.length > 0)
    throw new Error(`Expected exactly one backup, found: ${[file, ...others].join(', ')}`);
  await service.becomesContact(lost);
  const made = stack.relata<{ database: string; contacts: number }>(['restore', file, '--into', restored]);
  if (made.database !== restored || made.contacts < 2)
    throw new Error(`The restore has unexpected results: ${JSON.stringify(made)}`);
  await switchTo(stack, service, { name: restored, hasLost: false });
  await service.becomesContact('next@robotics.example');
  await switchTo(stack, service, { name: present, hasLost: true });
  await switchTo(stack, service, { name: restored, hasLost: false });
}

interface Switch {
  name: string;
  hasLost: boolean;
}

/** Switches to another database as the output of the restore says: changes one setting and starts all services. */
async function switchTo(stack: Stack, service: ComposedService, { name, hasLost }: Switch): Promise<void> {
  const server = () => stack.compose(['ps', '--quiet', 'postgres']);
  const before = server();
  stack.set('POSTGRES_DB', name);
  stack.up();
  if (server() !== before) throw new Error(`The switch to ${name} must not replace the container of PostgreSQL.`);
  const found = [await service.hasContact(kept), await service.hasContact(lost)];
  if (found.join() !== [true, hasLost].join())
    throw new Error(`Expected contacts in ${name}: true,${hasLost}. Found: ${found.join()}`);
  const address = stack.compose(['exec', '--no-TTY', 'backup', 'printenv', 'DATABASE_MIGRATION_URL']).trim();
  if (!address.endsWith(`/${name}`)) throw new Error(`The nightly backup must use the database ${name}.`);
}

function listBackups(stack: Stack): string[] {
  const listed = stack.compose(['exec', '--no-TTY', 'backup', 'ls', '/backups']);
  return listed.match(/^relata-\S+\.dump$/gm)?.map((name) => `/backups/${name}`) ?? [];
}
