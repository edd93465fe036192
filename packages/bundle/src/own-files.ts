import { readFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * Lets the bundle find files that sources locate relative to themselves. `import.meta.dirname` is rewritten relative to
 * the bundle, and a file found with `import.meta.resolve` is copied into the bundle's folder.
 */
export function ownFiles(folder: string): Plugin {
  return {
    name: 'own-files',
    transform: {
      filter: {
        id: { include: /\.ts$/, exclude: /\/node_modules\// },
        code: /\bimport\.meta\.(dirname|filename|resolve|url)\b/,
      },
      async handler(code, id) {
        if (/\bimport\.meta\.(filename|url)\b/.test(code) || /\bimport\.meta\.resolve\((?!')/.test(code))
          this.error(`${id} finds files in a way that fails in a bundle. Use import.meta.dirname.`);
        const from = `(import.meta.dirname + ${JSON.stringify(`/${relative(folder, dirname(id))}`)})`;
        const moved = code.replaceAll(/\bimport\.meta\.dirname\b/g, from);
        const names = [...moved.matchAll(resolved)].map(([, name]) => name!);
        const assets = new Map<string, string>();
        for (const name of new Set(names)) {
          const file = await this.resolve(name, id);
          if (!file) this.error(`${id} resolves ${name}, which does not exist.`);
          const fileName = `assets/${basename(file.id)}`;
          this.emitFile({ type: 'asset', fileName, originalFileName: file.id, source: await readFile(file.id) });
          assets.set(name, `new URL(${JSON.stringify(`./${fileName}`)}, import.meta.url).href`);
        }
        // No line is added, so the lines of the source map stay valid.
        return { code: moved.replaceAll(resolved, (_call, name: string) => assets.get(name)!), map: null };
      },
    },
  };
}

const resolved = /\bimport\.meta\.resolve\('([^']+)'\)/g;
