import { glob, readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from './program.ts';

/** A command line of the tool in the guides. */
interface Documented {
  at: string;
  /** The call itself, such as `npx relata`, before the arguments. */
  call: string;
  args: string[];
  /** True in a block of code, which readers copy; false within a sentence. */
  isBlock: boolean;
}

/**
 * Matches the ways to call the tool: in a clone, with Compose, in a pod or container, and by its bare name, which no
 * installation puts on the PATH.
 */
const calls =
  /(?<![\w./@=-])(npx relata|docker compose run [^|;&]*?\brelata|(?:node )?dist\/cli\.mjs|relata)(?= (?:[a-z]|--help))/g;

/** Returns true if `relata` is an argument of another program, such as the name of a database. */
const isOther = (before: string, call: string) =>
  call === 'relata' && /\b(kubectl|docker|createdb|psql|pg_\w+|namespace)\b/.test(before);

const pages = await Array.fromAsync(
  glob(['README.md', 'docs/*.md', 'docs/senders/*.md', 'examples/**/*.md', 'infra/*/README.md', 'apps/*/README.md'], {
    exclude: ['**/node_modules/**', 'docs/decisions/**', 'examples/acme-knowledge/**'],
  }),
);

/** A block of code with its language, or code within a sentence. */
const code =
  /^ *```(?<language>\w*)\n(?<block>[^]*?)^ *```$|(?<!`)(?<marks>`+)(?!`)(?<span>(?:(?!\n\n)[^])*?[^`])\k<marks>(?!`)/gm;

async function commandsIn(page: string): Promise<Documented[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(code)].flatMap(({ index, groups }) => {
    const { language = '', block, span = '' } = groups!;
    const first = text.slice(0, index).split('\n').length;
    if (block === undefined) return commandsOf(span.replaceAll(/\n\s*/g, ' '), `${page}:${first}`, false);
    if (!['', 'sh', 'bash'].includes(language)) return [];
    const lines = block.replaceAll(/\\\n\s*/g, (joined) => ' '.repeat(joined.length)).split('\n');
    return lines.flatMap((line, i) => commandsOf(line, `${page}:${first + 1 + i}`, true));
  });
}

function commandsOf(line: string, at: string, isBlock: boolean): Documented[] {
  return [...line.matchAll(calls)].flatMap(({ 1: call = '', index, 0: { length } }) => {
    if (isOther(line.slice(0, index), call)) return [];
    // Two spaces or more separate a command from its explanation, or from a second command.
    const [written = ''] = line.slice(index + length).split(/ {2,}|\s[|;&#<>]/, 1);
    return [{ at, call, args: wordsOf(written), isBlock }];
  });
}

const wordsOf = (text: string) => text.trim().match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];

const program: Command = createProgram({ isJson: false });

/** Returns the fault of a command line: a command or option that does not exist. */
function faultOf({ at, args }: Documented): string | undefined {
  let command = program;
  const rest = [...args];
  while (command.commands.length > 0 && !rest[0]?.startsWith('-') && rest.length > 0) {
    const name = rest.shift();
    const next = command.commands.find((each) => each.name() === name);
    if (!next) return `${at}: there is no command ${args.join(' ')}`;
    command = next;
  }
  const known = new Set([...command.options.map(({ long }) => long), '--help', '--version', '--json']);
  const unknown = rest.map((word) => word.split('=')[0]!).find((word) => word.startsWith('--') && !known.has(word));
  return unknown && `${at}: ${args.join(' ')} has no option ${unknown}`;
}

const documented = (await Promise.all(pages.map(commandsIn))).flat();

test('every command line in the guides uses a command and options that exist (found C3, C7)', () => {
  const blocks = documented.filter(({ isBlock }) => isBlock);
  expect(blocks.length).toBeGreaterThan(80);
  expect(documented.length - blocks.length).toBeGreaterThan(60);
  expect(documented.flatMap((each) => faultOf(each) ?? [])).toEqual([]);
});

test('the guides write `npx relata`, or the command of another installation, but never `relata` alone (found C7)', () => {
  const bare = documented.filter(({ call, isBlock }) => isBlock && call === 'relata');
  expect(bare.map(({ at, args }) => `${at}: relata ${args.join(' ')}`)).toEqual([]);
});
