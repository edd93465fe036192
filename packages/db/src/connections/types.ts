import pg from 'pg';

const { builtins } = pg.types;

/** Converts `2026-01-31 09:30:00.12+00`, PostgreSQL's format in UTC, to `2026-01-31T09:30:00.120Z`. */
export function isoTimestamp(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, -3).padEnd(3, '0').slice(0, 3) : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

const parseTextArray = pg.types.getTypeParser(1009 as never) as (text: string) => string[];

/** Parses an array. Plain elements, such as most tags and all ids, are only split; quotes and NULL need pg's parser. */
function parseArray(text: string): string[] {
  if (text === '{}') return [];
  return /["\\]|NULL/.test(text) ? parseTextArray(text) : text.slice(1, -1).split(',');
}

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.TIMESTAMPTZ, isoTimestamp],
  [builtins.NUMERIC, Number],
  [builtins.INT8, Number],
  [1009, parseArray], // text[]
  [2951, parseArray], // uuid[]
]);

/** Returns the parser for a column of a binary statement: text or bytes. */
function parseBinary(oid: number): (bytes: Buffer) => unknown {
  if (oid === builtins.BYTEA) return (bytes) => bytes;
  if (oid === builtins.TEXT) return (bytes) => bytes.toString('utf8');
  // Throws when it parses a value, not here: an error while rows are read fails only the statement, but an earlier
  // error would end the process.
  return () => {
    throw new Error(`A binary statement has a column of type ${oid}, which is neither text nor bytes.`);
  };
}

/** Parsers that keep dates as text in the API's format, and turn counts and money into numbers. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: string) {
    if (format === 'binary') return parseBinary(oid);
    return parsers.get(oid) ?? pg.types.getTypeParser(oid as never, format as never);
  },
};
