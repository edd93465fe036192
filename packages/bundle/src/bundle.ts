import { type Plugin, rolldown } from 'rolldown';
import { httpWithoutFetch } from './http-without-fetch.ts';
import { licences } from './licences.ts';
import { ownFiles } from './own-files.ts';

interface BundleOptions {
  root: string;
  programs: Record<string, string>;
  /** Folder that the bundles are written to. */
  writtenTo: string;
  /** Folder from which the bundles are run. */
  folder: string;
}

/**
 * Bundles all programs together: code that several of them load becomes one file, and code that a program loads late
 * stays separate.
 */
export async function bundle({ root, programs, writtenTo, folder }: BundleOptions): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: programs,
    platform: 'node',
    tsconfig: false,
    transform: { define: throwingCalls },
    plugins: [emptyParts, httpWithoutFetch, ownFiles(folder), licences, plainText],
    onLog(level, log, handle) {
      // Libraries are not available at run time, so a missing one is an error now.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (level !== 'info') handle(level, log);
    },
  });
  try {
    await build.write({
      dir: writtenTo,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
      // Names and lines are kept, so that a stack trace is readable without source maps.
      minify: false,
      // Licences have their own file, and comments take memory: Node keeps the source of running code.
      comments: false,
      sourcemap: true,
      sourcemapExcludeSources: true,
    });
  } finally {
    await build.close();
  }
}

/**
 * Functions that the bundler considers pure although they throw. It keeps a call that is made only for its exception
 * (`try { decodeURIComponent(path); … }`) if the function is a property of `globalThis`, which the bundler does not
 * know.
 */
const throwingCalls = Object.fromEntries(
  ['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'String.fromCodePoint'].map((name) => [
    name,
    `globalThis.${name}`,
  ]),
);

/**
 * Parts of libraries that are never called, but would stay in memory because the libraries are loaded as a whole.
 * Calling one of them would fail immediately.
 */
const neverCalled = [
  // knex imports the drivers of all databases that it supports; only the one of PostgreSQL is installed.
  /\/knex\/lib\/dialects\/(?!index\.js|postgres\/)/,
  // Express includes body parsers, with 500 KB of encoding tables. `@relata/http` reads bodies itself.
  /\/body-parser\/index\.js$/,
  // Limits are counted in memory and shared over NATS.
  /\/rate-limiter-flexible\/lib\/RateLimiter(?!(Abstract|CompatibleAbstract|InsuredAbstract|Memory|Res)\.js)/,
];

const emptyParts: Plugin = {
  name: 'empty-parts',
  load: { filter: { id: neverCalled }, handler: () => ({ code: 'module.exports = {};', moduleType: 'js' }) },
};

/**
 * Escapes characters beyond ASCII: V8 stores a string with any character beyond Latin-1 in two bytes per character.
 * `String.raw` does not decode these escapes, but our code uses it only for regular expressions, which decode them.
 */
const plainText: Plugin = {
  name: 'plain-text',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue;
      file.code = file.code.replaceAll(/[^\0-\x7F]/g, (unit) => String.raw`\u${hexOf(unit)}`);
    }
  },
};

const hexOf = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0');
