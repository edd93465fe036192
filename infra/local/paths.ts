import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..', '..');

const local = join(root, '.local');

/** Paths of the data of a local stack, and of the pages that its demo site shows. */
export const paths = {
  local,
  appPassword: join(local, 'postgres-app.password'),
  bin: join(local, 'bin'),
  compiled: join(local, 'compiled'),
  demo: join(local, 'demo.json'),
  knowledge: join(root, 'examples', 'acme-knowledge'),
  lock: join(local, 'stack.lock'),
  logs: join(local, 'logs'),
  nats: join(local, 'nats'),
  natsToken: join(local, 'nats.token'),
  notifyKeys: join(local, 'notify.keys'),
  postgres: join(local, 'postgres'),
  secretsKey: join(local, 'secrets.key'),
  signingKeys: join(local, 'signing.keys'),
  stack: join(local, 'stack.json'),
};
