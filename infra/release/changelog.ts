const unreleased = '## [Unreleased]\n';

/** Returns the entries of the next release. Throws if there are none. */
export function unreleasedEntries(changelog: string): string {
  const [, after] = changelog.split(unreleased);
  if (after === undefined) throw new Error(`CHANGELOG.md has no line "${unreleased.trim()}".`);
  const [entries] = after.split(/^## \[/m);
  if (!/^- /m.test(entries!)) throw new Error('CHANGELOG.md lists nothing under Unreleased.');
  return `${entries!.trim()}\n`;
}

/** Returns the entries of a version. Throws if the version is missing. */
export function versionEntries(changelog: string, version: string): string {
  const [, after] = changelog.split(`\n## [${version}] - `);
  if (after === undefined) throw new Error(`CHANGELOG.md has no version ${version}.`);
  return `${after
    .slice(after.indexOf('\n'))
    .split(/^## \[/m)[0]!
    .trim()}\n`;
}

/** Assigns the unreleased entries to a version, in the list of versions and in the table of upgrades. */
export function moveUnreleased(changelog: string, version: string, date: string): string {
  return changelog
    .replace(unreleased, `${unreleased}\n## [${version}] - ${date}\n`)
    .replaceAll(/^(\| .*→ )Unreleased( *\|)/gm, (_row, from: string, end: string) => {
      // Keeps the width of the column.
      return `${from}${version}${end.padStart('Unreleased'.length - version.length + end.length)}`;
    });
}
