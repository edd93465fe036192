import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findChromium } from '@relata/testing';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** Returns everything that a page stores: elements, fields, storage, history, databases and caches. */
export function leftIn(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const asked = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error!);
      });
    const inDatabase = async (name: string) => {
      const database = await asked(indexedDB.open(name));
      const names = [...database.objectStoreNames];
      const stores = names.map((store) => database.transaction(store).objectStore(store));
      const rows = await Promise.all(stores.flatMap((store) => [asked(store.getAll()), asked(store.getAllKeys())]));
      database.close();
      return JSON.stringify([name, names, rows]);
    };
    const inCache = async (name: string) => {
      const responses = await (await caches.open(name)).matchAll();
      return [
        name,
        ...(await Promise.all(responses.map(async (response) => response.url + (await response.text())))),
      ].join();
    };
    const fields = Array.from(
      document.querySelectorAll('input, textarea'),
      (field) => (field as HTMLInputElement).value,
    );
    const databases = await Promise.all((await indexedDB.databases()).map(({ name }) => inDatabase(name!)));
    const cached = await Promise.all((await caches.keys()).map(inCache));
    const stored = [JSON.stringify(localStorage), JSON.stringify(sessionStorage)];
    const rest = [JSON.stringify(history.state), location.href, document.cookie, document.documentElement.outerHTML];
    return [...fields, ...stored, ...databases, ...cached, ...rest].join('\n');
  });
}

/** Opens a browser that stores its data in a folder, and restores the tabs that were open when it was closed. */
export function openProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    executablePath: findChromium()!,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--restore-last-session'],
    reducedMotion: 'reduce',
  });
}

/** Reads each file below a folder in both encodings that browsers use for text. */
export async function textsIn(folder: string): Promise<string[]> {
  const files = (await Array.fromAsync(glob('**/*', { cwd: folder, withFileTypes: true }))).filter((file) =>
    file.isFile(),
  );
  const contents = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))));
  return contents.flatMap((bytes) => [bytes.toString('latin1'), bytes.toString('utf16le')]);
}
