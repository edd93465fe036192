import { type Plugin, rolldown } from 'rolldown';
import { httpWithoutFetch } from './http-without-fetch.ts';
import { licences } from './licences.ts';
import { ownFiles } from './own-files.ts';

interface BundleOptions {
  root: string;
  programs: Record<string, string>;
  /** Where the bundles are written to. */
  writtenTo: string;
  /** Where they are run from. */
  folder: string;
}

/** Bundles all programs at once: what several of them load is one file, and what a program loads late stays apart. */
export async function bundle({ root, programs, writtenTo, folder }: BundleOptions): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: programs,
    platform: 'node',
    tsconfig: false,
    transform: { define: throwingCalls },
    plugins: [emptyParts, httpWithoutFetch, ownFiles(folder), licences, plainText],
    onLog(level, log, handle) {
      // Nothing is beside the bundles at run time, so that a library which is not found now never will be.
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
      // Names and lines stay, so that a stack trace can be read without the maps.
      minify: false,
      // The licences have a file of their own, and comments take memory: Node keeps the text of what it runs.
      comments: false,
      sourcemap: true,
      sourcemapExcludeSources: true,
    });
  } finally {
    await build.close();
  }
}

/**
 * Functions that the bundler takes for pure although they throw. As properties of `globalThis` they are unknown to it, so
 * that it keeps a call that is made for its exception alone: `try { decodeURIComponent(path); … }`.
 */
const throwingCalls = Object.fromEntries(
  ['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'String.fromCodePoint'].map((name) => [
    name,
    `globalThis.${name}`,
  ]),
);

/** Of libraries that are loaded as a whole: their text would stay in memory. Whatever called one would fail at once. */
const neverCalled = [
  // knex names all its databases; the libraries of the others are not installed.
  /\/knex\/lib\/dialects\/(?!index\.js|postgres\/)/,
  // Express offers parsers of bodies, with 500 KB of tables of encodings. `@relata/http` reads bodies itself.
  /\/body-parser\/index\.js$/,
  // Limits are counted in memory and shared over NATS.
  /\/rate-limiter-flexible\/lib\/RateLimiter(?!(Abstract|CompatibleAbstract|InsuredAbstract|Memory|Res)\.js)/,
];

const emptyParts: Plugin = {
  name: 'empty-parts',
  load: { filter: { id: neverCalled }, handler: () => ({ code: 'module.exports = {};', moduleType: 'js' }) },
};

/**
 * V8 keeps a text with a single letter beyond Latin-1 in two bytes for each of its letters. Raw templates are of patterns alone,
 * which read the escape as the letter.
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
