import { expect, test } from 'vitest';
import { checkRestoreVersion, dumpVersionWarning } from './program-version.ts';

test.for([
  [17, 16],
  [18, 15],
])(
  'pg_restore %i is refused for PostgreSQL %i, which lacks a setting that pg_restore sends (found D1)',
  ([program, server]) => {
    expect(() => checkRestoreVersion(program!, server!)).toThrow(
      `pg_restore ${program} cannot restore into PostgreSQL ${server}. Use pg_restore ${server}`,
    );
  },
);

test.for([
  [17, 16],
  [18, 15],
])('pg_dump %i of PostgreSQL %i causes a warning, since only newer servers accept the dump', ([program, server]) => {
  const warning = dumpVersionWarning(program!, server!);
  expect(warning).toContain(`cannot be restored into PostgreSQL ${server}, only into version 17 or newer`);
  expect(warning).toContain(`Use pg_dump ${server}`);
});

test.for([
  [15, 15],
  [16, 15],
  [16, 18],
  [18, 17],
  [18, 18],
])('pg_restore %i may restore into PostgreSQL %i, and dumps have no warning (found D1)', ([program, server]) => {
  expect(() => checkRestoreVersion(program!, server!)).not.toThrow();
  expect(dumpVersionWarning(program!, server!)).toBeUndefined();
});
