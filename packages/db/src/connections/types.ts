import pg from 'pg';

const { builtins } = pg.types;

/** `2026-01-31 09:30:00.12+00`, as a session in UTC prints it, to `2026-01-31T09:30:00.120Z`. */
export function isoTimestamp(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, -3).padEnd(3, '0').slice(0, 3) : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

const parseTextArray = pg.types.getTypeParser(1009 as never) as (text: string) => string[];

/** Plain elements, as most tags and all ids are, need no more than a split; quotes and NULL need the parser. */
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

/** What a binary statement may have. */
function parseBinary(oid: number): (bytes: Buffer) => unknown {
  if (oid === builtins.BYTEA) return (bytes) => bytes;
  if (oid === builtins.TEXT) return (bytes) => bytes.toString('utf8');
  // With the first value, since a statement fails by an error that its rows cause, and the process by an earlier one.
  return () => {
    throw new Error(`A binary statement has a column of type ${oid}, which is neither text nor bytes.`);
  };
}

/** Dates stay text in the API's form, counts and money become numbers. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: string) {
    if (format === 'binary') return parseBinary(oid);
    return parsers.get(oid) ?? pg.types.getTypeParser(oid as never, format as never);
  },
};
