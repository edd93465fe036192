import { type Database, openDatabase } from '@relata/db';
import { CliError } from '../../output/cli.error.ts';
import type { Dump } from './dump.ts';
import { commentDatabase, createDatabase, dropDatabase, readDatabase } from './new-database.sql.ts';
import { addressOfDatabase } from './postgres-environment.ts';
import { checkRestoreVersion, programMajor } from './program-version.ts';

/** Comment on a database until the whole dump has been restored into it. */
const unfinished = 'A restore by relata that has not ended.';

/** Long time limit, because creating a database copies a template, and dropping one deletes its files. */
const statementTimeoutMs = 10 * 60_000;

/** A database that a restore creates. Its `url` signs in as the owner of the database. */
export class NewDatabase {
  readonly name: string;
  readonly url: string;
  /** Names of the extensions that the owner may create on this server. */
  readonly extensions: ReadonlySet<string>;
  readonly #server: Database;

  private constructor(server: Database, ownerUrl: string, name: string, extensions: readonly string[]) {
    this.#server = server;
    this.name = name;
    this.extensions = new Set(extensions);
    this.url = addressOfDatabase(ownerUrl, name);
  }

  /** Throws if the name is taken, the owner may not create databases, or `pg_restore` is too new for the server. */
  static async prepare(ownerUrl: string, name: string, stack: AsyncDisposableStack): Promise<NewDatabase> {
    // The configured database may be missing: it may be the one that was lost.
    const url = addressOfDatabase(ownerUrl, 'postgres');
    const server = stack.use(openDatabase({ url, name: 'relata-cli', poolMax: 1, statementTimeoutMs }));
    const { exists, comment, can_create: canCreate, major, extensions } = await readDatabase(server, name);
    if (exists && comment === unfinished) throw new CliError('conflict', leftMessage(name));
    if (exists) throw new CliError('conflict', `The database ${name} exists already. Restore into a new one.`);
    if (!canCreate) throw new CliError('configuration_error', rightMessage(decodeURIComponent(new URL(url).username)));
    checkRestoreVersion(await programMajor('pg_restore'), major);
    return new NewDatabase(server, ownerUrl, name, extensions);
  }

  /** Creates the database and runs `work`, which fills it. Drops the database if `work` fails. */
  async fill({ properties }: Dump, work: () => Promise<unknown>): Promise<void> {
    await this.#server.query(createDatabase(this.name, properties), []);
    try {
      await this.#comment(unfinished);
      await work();
      // From here on the database can be used, whether or not the checks succeed.
      await this.#comment(`Restored by relata at ${new Date().toISOString()}, not checked.`);
    } catch (error) {
      throw await this.#drop(error as Error);
    }
  }

  /** Removes the database. Returns `why`, with advice if the removal fails too. */
  async #drop(why: Error): Promise<Error> {
    try {
      await this.#server.query(dropDatabase(this.name), []);
      return why;
    } catch (error) {
      const failed = `The database ${this.name} could not be removed: ${(error as Error).message}.`;
      const message = `${why.message} ${failed} Remove it: ${dropCommand(this.name)}`;
      return new CliError(why instanceof CliError ? why.code : 'program_failed', message, { cause: why });
    }
  }

  async #comment(text: string): Promise<void> {
    await this.#server.query(commentDatabase(this.name, text), []);
  }

  /** Changes the comment to say that everything was checked. */
  async finish(): Promise<void> {
    await this.#comment(`Restored by relata at ${new Date().toISOString()}.`);
  }
}

function leftMessage(name: string): string {
  return (
    `The database ${name} is left over from an unfinished restore. If no restore is running, remove it and try again: ` +
    dropCommand(name)
  );
}

function dropCommand(name: string): string {
  return `DROP DATABASE "${name}"; (Compose: docker compose exec postgres dropdb --username=postgres ${name})`;
}

function rightMessage(role: string): string {
  return (
    `The role ${role} may not create a database. Permit it: ALTER ROLE "${role}" CREATEDB; ` +
    `(Compose: docker compose exec postgres psql --username=postgres --command='ALTER ROLE "${role}" CREATEDB')`
  );
}
