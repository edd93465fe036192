import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program to run, and its environment variables. */
interface Job {
  /** Path of a file for Node, source code for Python. */
  program: string;
  env: Record<string, string>;
}

type Outcome = { printed: string } | { error: string };

const nodeLoop = `
  import { createInterface } from 'node:readline';
  import { format } from 'node:util';
  for await (const line of createInterface({ input: process.stdin })) {
    const { program, env } = JSON.parse(line);
    Object.assign(process.env, env);
    const printed = [];
    console.log = (...values) => void printed.push(format(...values));
    const outcome = await import(program).then(
      () => ({ printed: printed.join('\\n') }),
      (error) => ({ error: String(error) }),
    );
    process.stdout.write(JSON.stringify(outcome) + '\\n');
  }`;

const pythonLoop = `
import contextlib, io, json, os, sys
for line in sys.stdin:
    job = json.loads(line)
    os.environ.update(job["env"])
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(job["program"], {"__name__": "__main__"})
        outcome = {"printed": printed.getvalue()}
    except Exception as error:
        outcome = {"error": repr(error)}
    print(json.dumps(outcome), flush=True)
`;

/**
 * Runs programs one after another in one process, because starting an interpreter takes ten times as long as most
 * programs.
 */
export class ResidentInterpreter implements AsyncDisposable {
  readonly #child;
  readonly #outcomes;

  private constructor(command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#outcomes = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Starts an interpreter for TypeScript files. */
  static node(): ResidentInterpreter {
    return new ResidentInterpreter(process.execPath, ['--input-type=module', '--eval', nodeLoop]);
  }

  static python(): ResidentInterpreter {
    return new ResidentInterpreter('python3', ['-c', pythonLoop]);
  }

  /** Returns what a program prints; throws if it fails. */
  async run(job: Job): Promise<string> {
    this.#child.stdin.write(`${JSON.stringify(job)}\n`);
    const { value, done } = await this.#outcomes.next();
    if (done) throw new Error(`The interpreter ended while it ran ${job.program}`);
    const outcome = JSON.parse(value) as Outcome;
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome.printed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.stdin.end();
    await ended;
  }
}
