import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

interface BuildOptions {
  say: (line: string) => void;
  signal: AbortSignal;
  /** Build program. The default is the one in `builds`. */
  file?: string;
  maxMs?: number;
}

/**
 * Time limit of a build, in ms. A build takes one second on an idle machine, and a minute during the first start of all
 * other processes.
 */
const buildMaxMs = 180_000;
const reasonCharsMax = 500;

/** Builds of a start, each with its program and the report of a failure. */
const builds = {
  widget: ['@relata/chat-widget/build', 'the chat widget could not be built, so pages have no chat'],
  console: ['@relata/console-web/build', 'the pages of the console could not be built, so they are not served'],
  docs: ['@relata/docs-web/build', 'the documentation could not be built, so /docs is not served'],
  bundles: ['@relata/bundle', 'the apps could not be bundled, so they run from their sources'],
} as const;

/**
 * Runs a build, which does nothing if its sources have not changed, and returns true if it succeeded. A build that
 * fails is only reported: the stack works without the result. The build has its own process, so that the 100 MB of the
 * bundler are freed at its end, and a crash does not end the stack.
 */
export async function build(name: keyof typeof builds, options: BuildOptions): Promise<boolean> {
  const { say, signal, file, maxMs = buildMaxMs } = options;
  const [own, failure] = builds[name];
  try {
    const program = file ?? fileURLToPath(import.meta.resolve(own));
    await promisify(execFile)(process.execPath, [program], { signal, timeout: maxMs, killSignal: 'SIGKILL' });
    return true;
  } catch (error) {
    const isLate = error instanceof Error && 'killed' in error && error.killed;
    const reason = isLate ? `it took longer than ${maxMs / 1_000} s. The next start tries again` : reasonOf(error);
    if (!signal.aborted) say(`${failure}: ${reason}`);
    return false;
  }
}

/** Returns the error that the build printed, without the source that Node prints before it. */
function reasonOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  const from = Math.max(0, said.search(/^\S*Error\b/m));
  return said.slice(from, from + reasonCharsMax) || String(error).trim();
}
