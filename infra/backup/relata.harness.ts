import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { findSuiteBundle } from '@relata/bundle';
import { ResidentTools } from '@relata/cli/resident-tool';
import { openDatabase, statement } from '@relata/db';
import { compiledDir } from '@relata/testbed/places';
import { until } from '@relata/testbed/until';
import type { PostgresPrograms } from './postgres-programs.harness.ts';

const tools = new ResidentTools();

interface ChangedDump {
  name: string;
  changes: readonly string[];
  url: string;
  folder: string;
}

/** The command-line tool `relata` for an installation, with the programs of PostgreSQL on its PATH. */
export class Relata {
  readonly #programs: PostgresPrograms;
  readonly #env: Record<string, string>;

  constructor(programs: PostgresPrograms, urls: { owner: string; app: string }) {
    this.#programs = programs;
    this.#env = { DATABASE_URL: urls.app, DATABASE_MIGRATION_URL: urls.owner };
  }

  /** Runs a command to its end. Many commands share one process. */
  run(args: readonly string[], env: Record<string, string> = {}): ReturnType<ResidentTools['run']> {
    return tools.run({ args, env: this.#environment(env) });
  }

  /** Runs a command that must succeed, and returns the JSON that it prints. */
  async json<Printed>(...words: string[]): Promise<Printed> {
    const { code, stdout, stderr } = await this.run([...words, '--json']);
    if (code !== 0) throw new Error(`relata ${words.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as Printed;
  }

  async start(words: readonly string[], env: Record<string, string> = {}): Promise<ChildProcess> {
    return spawn(process.execPath, [await findSuiteBundle('cli'), ...words], {
      env: this.#environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  #environment(env: Record<string, string>): Record<string, string> {
    const PATH = `${dirname(this.#programs.postgres)}${delimiter}${process.env['PATH']}`;
    return { NODE_COMPILE_CACHE: compiledDir, ...this.#env, PATH, ...env };
  }

  /** Starts a command that does not end by itself, and returns once its output matches the pattern. */
  async startUntil(pattern: RegExp, words: readonly string[], env: Record<string, string> = {}) {
    const child = await this.start(words, env);
    let printed = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => void (printed += text));
    try {
      await until(`relata ${words[0]} prints ${pattern}`, () => pattern.test(printed));
      return { child, printed };
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Starts a restore and returns once its database exists. The restore then hangs in `pg_restore`. */
  async startHangingRestore(file: string, name: string, folder: string): Promise<ChildProcess> {
    const begun = join(folder, `${name}-begun`);
    const PATH = await this.pathWithRestore(folder, `touch ${begun}; exec sleep 300`);
    const child = await this.start(['restore', file, '--into', name], { PATH });
    await until('pg_restore runs', () => existsSync(begun));
    return child;
  }

  /** Changes the database at `url`, dumps it, and returns the path of the dump. */
  async dumpChanged({ name, changes, url, folder }: ChangedDump): Promise<string> {
    await using database = openDatabase({ url, name: 'changes', poolMax: 1 });
    for (const change of changes) await database.query(statement('', change), []);
    const file = join(folder, `${name}.dump`);
    await this.#programs.run('pg_dump', ['--format=custom', `--file=${file}`, url]);
    return file;
  }

  /** Returns a PATH whose `pg_restore` runs these shell commands before it restores into a database. */
  pathWithRestore(folder: string, lines: string): Promise<string> {
    return this.pathWith(folder, 'pg_restore', `case "$*" in *--dbname*) ${lines} ;; esac`);
  }

  /** Returns a PATH on which a program of PostgreSQL runs these shell commands first. */
  async pathWith(folder: string, program: string, lines: string): Promise<string> {
    const bin = dirname(this.#programs.postgres);
    const own = await mkdtemp(join(folder, 'bin-'));
    await writeFile(join(own, program), `#!/bin/sh\n${lines}\nexec ${bin}/${program} "$@"\n`);
    await chmod(join(own, program), 0o755);
    return [own, bin, process.env['PATH']].join(delimiter);
  }
}
