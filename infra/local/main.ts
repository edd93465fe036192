import { flushCompileCache } from 'node:module';
import { banner } from './stack/banner.ts';
import { LocalStack } from './stack/stack.ts';
import { help, readStartOptions, type StartOptions } from './start-options.ts';
import { listenForStop } from './supervisor/stop-request.ts';

// Every process must end within ten seconds after the request to stop.
const stopWithinMs = 9_500;

// A closed pipe (npm start | head) must not end the stack without its shutdown.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

try {
  const options = readStartOptions(process.argv.slice(2), process.env);
  if (options.wantsHelp) console.log(help);
  else await run(options);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run(options: StartOptions): Promise<void> {
  const stop = listenForStop();
  const stack = new LocalStack(options, say, stop.signal);
  stop.onImpatience = () => stack.kill();
  // An uncaught exception must not leave the processes without their supervisor.
  process.on('uncaughtException', (error) => {
    console.error(error);
    process.exitCode = 1;
    stop.stop();
  });
  stop.signal.addEventListener('abort', () => endInTime(stack));
  try {
    say('starting');
    const published = await stack.start();
    say(`ready after ${(performance.now() / 1_000).toFixed(1)} s`);
    console.log(banner(published, stack.consoleLink));
    // Otherwise Node writes the cache at the end of the process, which takes seconds on a busy disk.
    flushCompileCache();
    await stop.requested;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    say('stopping');
    await stack[Symbol.asyncDispose]();
    say('stopped');
  }
}

function say(line: string): void {
  console.log(`${new Date().toLocaleTimeString('en-GB')} ${line}`);
}

function endInTime(stack: LocalStack): void {
  setTimeout(() => {
    say('some processes did not stop in time and are killed');
    stack.kill();
    process.exit(1);
  }, stopWithinMs).unref();
}
