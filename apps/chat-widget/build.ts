import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { licences } from '@relata/bundle/licences';
import { type Plugin, rolldown } from 'rolldown';

const folder = fileURLToPath(new URL('.', import.meta.url));

export interface BuiltWidget {
  /** Absolute path of the script. */
  file: string;
  bytes: number;
  gzipBytes: number;
}

/**
 * Builds the widget into one script, by default `dist/relata-chat.js`, and writes `LICENSES.txt` to the same folder.
 * Replaces existing files atomically.
 */
export async function buildWidget({ outFile = 'dist/relata-chat.js' } = {}): Promise<BuiltWidget> {
  const file = resolve(folder, outFile);
  const { script, beside } = await bundle();
  for (const { fileName, source } of beside) await replaceFile(join(dirname(file), fileName), source);
  await replaceFile(file, script);
  return { file, bytes: Buffer.byteLength(script), gzipBytes: gzipSync(script).length };
}

async function bundle() {
  const build = await rolldown({
    cwd: folder,
    input: 'src/main.ts',
    platform: 'browser',
    tsconfig: false,
    transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [styleSheets, lexerAlone, licences],
  });
  try {
    // The IIFE format works as a classic script and as a module. The code must not use import.meta or exports.
    const { output } = await build.generate({ format: 'iife', minify: true });
    const script = `${reference}${output[0].code}`;
    return { script, beside: output.filter((file) => file.type === 'asset') };
  } finally {
    await build.close();
  }
}

/** Reference to the licences. The texts themselves would add 1.3 kB of compressed script for each visitor. */
const reference = '/*! The licences of libraries in this script are in LICENSES.txt beside it. */\n';

/** Makes the import of a style sheet return its text, without comments and unneeded spaces. */
const styleSheets: Plugin = {
  name: 'style-sheets',
  load: {
    filter: { id: /\.css$/ },
    async handler(id) {
      const text = (await readFile(id, 'utf8'))
        .replaceAll(/\/\*.*?\*\//gs, '')
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/ ?([{};,]) ?/g, '$1')
        .replaceAll(/: /g, ':')
        .replaceAll(';}', '}');
      return { code: `export default ${JSON.stringify(text.trim())}`, moduleType: 'js' };
    },
  },
};

/**
 * Removes the default instance at the end of marked's file. Bundlers keep it, because creating it may have side
 * effects. The widget needs only the lexer and the tokenizer. If the pattern does not match a new release of marked,
 * the script becomes a few kB larger.
 */
const lexerAlone: Plugin = {
  name: 'lexer-alone',
  transform: {
    filter: { id: /\/marked\.esm\.js$/ },
    handler: (code) =>
      code.replace(/;var \w+=new \w+;function .*;export\{(.*)\}/s, (_end, names: string) => {
        const needed = names.split(',').filter((name) => / as (Lexer|Tokenizer)$/.test(name));
        return `;export{${needed.join(',')}}`;
      }),
  },
};

async function replaceFile(file: string, text: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(temporary, text);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

if (import.meta.main) {
  const { file, bytes, gzipBytes } = await buildWidget();
  console.log(`${file}: ${bytes} bytes, ${gzipBytes} gzipped`);
}
