import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { channelKinds } from '@relata/channel';
import { SettingsError } from '@relata/runtime';
import { z } from 'zod';

const address = z.object({ url: z.string() }).optional();

/** Fields of the file that the local stack writes while it runs. */
const Stack = z.object({
  base_url: z.string().optional(),
  postgres: z.object({ url: z.string(), app_url: z.string().optional() }).optional(),
  nats: address,
  channel: z.object({ url: z.url({ protocol: /^https?$/ }), kind: z.enum(channelKinds) }).optional(),
  secrets: z.object({ key_file: z.string() }).optional(),
  signing: z.object({ key_file: z.string() }).optional(),
  notify: z.object({ key_file: z.string() }).optional(),
  organizations: z
    .array(z.object({ triggers: z.array(z.object({ id: z.string(), secret: z.string().optional() })).default([]) }))
    .default([]),
});

type Stack = z.output<typeof Stack>;

const repository = resolve(import.meta.dirname, '../../../..');

/** Returns the running local stack of the current folder or one of its parents, or else that of this checkout. */
export function findStack(): Stack | undefined {
  const file = [...foldersUp(process.cwd()), repository]
    .map((folder) => join(folder, '.local/stack.json'))
    .find(existsSync);
  return file === undefined ? undefined : readStack(file);
}

/** Returns the running local stack if it uses this database. */
export function findStackOn(databaseUrl: string): Stack | undefined {
  const stack = findStack();
  return stack?.postgres?.url === databaseUrl ? stack : undefined;
}

function* foldersUp(from: string): Generator<string> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    yield folder;
    if (folder === dirname(folder)) return;
  }
}

function readStack(file: string): Stack {
  try {
    return Stack.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new SettingsError(
      `${file} cannot be read. Start the stack again (npm start), or set DATABASE_URL and NATS_URL.`,
      { cause },
    );
  }
}
