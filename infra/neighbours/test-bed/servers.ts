import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase, statement } from '@relata/db';
import { migrateDatabase } from '@relata/db/migrate';
import { startNats, startPostgres } from '@relata/embedded';
import { type ServiceProcess, startService } from '../../../bench/process/service-process.ts';
import { paths } from '../../local/paths.ts';

/** PostgreSQL, NATS and the outside servers for all rows; each row has a database of its own. */
export class Servers implements AsyncDisposable {
  readonly folder: string;
  readonly natsUrl: string;
  readonly outside: ServiceProcess;
  readonly #postgresUrl: string;
  readonly #admin: Database;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    opened: { folder: string; postgresUrl: string; natsUrl: string; outside: ServiceProcess },
    admin: Database,
    stack: AsyncDisposableStack,
  ) {
    this.folder = opened.folder;
    this.#postgresUrl = opened.postgresUrl;
    this.natsUrl = opened.natsUrl;
    this.outside = opened.outside;
    this.#admin = admin;
    this.#stack = stack;
  }

  static async open(signal: AbortSignal): Promise<Servers> {
    await using stack = new AsyncDisposableStack();
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'relata-neighbours-')));
    stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
    const outsideOptions = {
      file: new URL('./outside.worker.ts', import.meta.url),
      logFile: join(folder, 'outside.log'),
      env: {},
    };
    const postgres = await startPostgres({
      dataDir: join(folder, 'postgres'),
      settings: { track_commit_timestamp: 'on' },
      signal,
    });
    stack.defer(() => postgres.stop());
    const nats = await startNats({ storeDir: join(folder, 'nats'), binDir: paths.bin, signal });
    stack.defer(() => nats.stop());
    const outside = stack.use(await startService(outsideOptions));
    await migrateDatabase({ url: postgres.url });
    const admin = stack.use(openDatabase({ url: urlOf(postgres.url, 'postgres'), name: 'neighbours', poolMax: 1 }));
    return new Servers({ folder, postgresUrl: postgres.url, natsUrl: nats.url, outside }, admin, stack.move());
  }

  /** Creates a migrated database and returns its URL. */
  async createDatabase(name: string): Promise<string> {
    const template = new URL(this.#postgresUrl).pathname.slice(1);
    await this.#admin.query(statement('', `CREATE DATABASE ${name} TEMPLATE ${template}`), []);
    return urlOf(this.#postgresUrl, name);
  }

  async dropDatabase(name: string): Promise<void> {
    await this.#admin.query(statement('', `DROP DATABASE ${name} WITH (FORCE)`), []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

function urlOf(postgresUrl: string, database: string): string {
  const url = new URL(postgresUrl);
  url.pathname = `/${database}`;
  return url.href;
}
