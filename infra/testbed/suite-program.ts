import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Own extends Options> = ReturnType<typeof parseArgs<{ options: Own }>>['values'];

export interface SuiteProgram<Own extends Options> {
  /** Printed for `--help`, and with the error if an option has an invalid value. */
  usage: string;
  options: Own;
  /** Runs the suite and sets `process.exitCode`. */
  run(values: Values<Own>): Promise<void>;
}

/** Reads the command line and runs a suite. A suite that throws ends the process with exit code 1. */
export async function runSuiteProgram<const Own extends Options>({ usage, options, run }: SuiteProgram<Own>) {
  // A closed pipe must not end the program before its processes.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  try {
    const all: Options = { ...options, help: { type: 'boolean', default: false } };
    const { values } = parseArgs({ options: all });
    if (values['help'] === true) process.stdout.write(usage);
    else await run(values as Values<Own>);
  } catch (error) {
    console.error(error);
    // A fault or flood may still wait for something that will never arrive.
    process.exit(1);
  }
}

/** Reads the value of an option. Throws with the usage if it is not a whole number of at most nine digits. */
export function integer(name: string, text: string, usage: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number.\n\n${usage}`);
  return Number(text);
}

/** Writes a line with the time to standard error; standard output is for the result. */
export function say(line: string): void {
  console.error(`${new Date().toLocaleTimeString('en-GB')} ${line}`);
}
