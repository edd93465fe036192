import { readFile } from 'node:fs/promises';

type PostgresSettings = Record<string, string>;

/**
 * Reads the settings for point-in-time recovery in `docs/operations.md`: of the server (`archiving`) and of the
 * restored copy (`recovery`). Both functions replace the folder and the time of the example.
 */
export async function manualSettings(): Promise<{
  archiving: (archive: string) => PostgresSettings;
  recovery: (archive: string, time: string) => PostgresSettings;
}> {
  const manual = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const section = manual.split('\n## Point in time\n')[1]!.split('\n## ')[0]!;
  const [archiving, recovery] = [...section.matchAll(/```ini\n([^`]*)```/g)].map(([, lines]) => readSettings(lines!));
  const inFolder = (settings: PostgresSettings, archive: string) => replaced(settings, /\/archive\b/g, archive);
  return {
    archiving: (archive) => inFolder(archiving!, archive),
    recovery: (archive, time) => replaced(inFolder(recovery!, archive), /^\d{4}-\d\d-\d\d .*$/, time),
  };
}

/** Returns settings as lines of `postgresql.conf`. */
export function settingLines(settings: PostgresSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
    .join('');
}

function readSettings(lines: string): PostgresSettings {
  return Object.fromEntries(
    [...lines.matchAll(/^ *(\w+) = (?:'([^']*)'|(\S+))/gm)].map(([, name, quoted, bare]) => [name, quoted ?? bare]),
  ) as PostgresSettings;
}

function replaced(settings: PostgresSettings, what: RegExp, by: string): PostgresSettings {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value.replace(what, by)]));
}
