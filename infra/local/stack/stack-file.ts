import { readFile, rm } from 'node:fs/promises';
import type { AppName } from '../../services.ts';
import { writePrivateFile } from '../private-file.ts';

/** A webhook trigger of the demo data. In shared mode its secret is an API key. */
export interface StackTrigger {
  id: string;
  name: string;
  url: string;
  secret?: string;
  mode: 'unique' | 'shared' | 'signature';
  workflows: string[];
}

/** An organization of the demo data, with its keys. */
export interface StackOrganization {
  id: string;
  name: string;
  /** `full` has every scope except `webhook`. `publishable` is only for the chat on the demo site. */
  keys: { full: string; read_only?: string; chat?: string; webhook?: string; publishable?: string };
  users?: { id: string; email: string }[];
  pipelines?: { id: string; name: string }[];
  stages?: { id: string; name: string }[];
  triggers?: StackTrigger[];
}

/** The content of `.local/stack.json`, by which tools and tests find the running stack. */
export interface StackFile {
  base_url: string;
  pid: number;
  services: Record<AppName, { url: string; pid: number }>;
  console: { url: string };
  /**
   * Addresses of the database for its owner (`url`) and for the apps (`app_url`). The other fields are set only for the
   * embedded database.
   */
  postgres: { url: string; app_url: string; pid?: number; data_dir?: string };
  nats: { url: string; pid?: number; store_dir?: string };
  /** Local inbox that stands in for the team's channel. Omitted if the environment names a channel. */
  channel?: { url: string; kind: 'slack' };
  /** File with the key that encrypts secrets; omitted if the environment has SECRETS_KEY. */
  secrets?: { key_file: string };
  /** File with the key for secrets of senders who sign; omitted if the environment has SIGNING_KEYS. */
  signing?: { key_file: string };
  /** File with the key for the team channels of organizations; omitted if the environment has NOTIFY_KEYS. */
  notify?: { key_file: string };
  organizations: StackOrganization[];
}

export async function removeStackFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Reads the file of a stack that is running or was killed. */
export async function readStackFile(path: string): Promise<StackFile | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as StackFile);
  } catch {
    return undefined;
  }
}

/** Keeps `stack.json` up to date with the running processes, from `publish` until it is disposed. */
export class StackPublication implements AsyncDisposable {
  readonly #path: string;
  readonly #describe: () => StackFile;
  #state: 'unpublished' | 'published' | 'withdrawn' = 'unpublished';
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, describe: () => StackFile) {
    this.#path = path;
    this.#describe = describe;
  }

  async publish(): Promise<StackFile> {
    this.#state = 'published';
    await this.refresh();
    return this.#describe();
  }

  // Writes are made one after the other, so that the file has the last state.
  refresh(): Promise<unknown> {
    this.#last = this.#last.catch(() => {}).then(() => this.#write());
    return this.#last;
  }

  async #write(): Promise<void> {
    // It contains keys.
    if (this.#state === 'published')
      await writePrivateFile(this.#path, `${JSON.stringify(this.#describe(), null, 2)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#state = 'withdrawn';
    await this.#last.catch(() => {});
    await removeStackFile(this.#path);
  }
}
