import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface WidgetBuildOptions {
  say: (line: string) => void;
  signal: AbortSignal;
  /** Build program. The default is that of the app. */
  file?: string;
  maxMs?: number;
}

/**
 * Time limit of a build, in ms. A build takes one second on an idle machine, and a minute during the first start of all
 * other processes.
 */
const buildMaxMs = 180_000;
const reasonCharsMax = 500;

/** Builds the script that puts the chat into a web page. A build that fails is only reported. */
export function buildWidgetScript(options: WidgetBuildOptions): Promise<boolean> {
  const failure = 'the chat widget could not be built, so pages have no chat';
  return build(() => import.meta.resolve('@relata/chat-widget/build'), failure, options);
}

/** Builds the pages of the console if their sources have changed. A build that fails is only reported. */
export function buildConsolePages(options: WidgetBuildOptions): Promise<boolean> {
  const failure = 'the pages of the console could not be built, so they are not served';
  return build(() => import.meta.resolve('@relata/console-web/build'), failure, options);
}

/** Builds the documentation if its sources have changed. A build that fails is only reported. */
export function buildDocsPages(options: WidgetBuildOptions): Promise<boolean> {
  const failure = 'the documentation could not be built, so /docs is not served';
  return build(() => import.meta.resolve('@relata/docs-web/build'), failure, options);
}

/** Bundles the apps if their sources have changed. If that fails, they run from their sources. */
export function buildBundles(options: WidgetBuildOptions): Promise<boolean> {
  const failure = 'the apps could not be bundled, so they run from their sources';
  return build(() => import.meta.resolve('@relata/bundle'), failure, options);
}

/**
 * Runs a build and returns true if it succeeded. The stack works without the result. The build has its own process, so
 * that the 100 MB of the bundler are freed at its end, and a crash does not end the stack.
 */
async function build(own: () => string, failure: string, options: WidgetBuildOptions): Promise<boolean> {
  const { say, signal, file, maxMs = buildMaxMs } = options;
  try {
    const program = file ?? fileURLToPath(own());
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
