import { expect, test } from 'vitest';
import { granteesIn, leaveOutExtensions } from './dump.ts';

test('the roles with privileges in a dump are found in its grants, each once and without quotes (found D1)', () => {
  const schema = `
GRANT ALL ON SCHEMA public TO PUBLIC;
GRANT SELECT,INSERT ON TABLE public.accounts TO relata_app;
GRANT SELECT(id) ON TABLE public.accounts TO "Reporting ""A""" WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES FOR ROLE old_owner IN SCHEMA public GRANT SELECT ON TABLES  TO relata_keda;
REVOKE ALL ON TABLE public.accounts FROM other;
GRANT USAGE ON SEQUENCE public.event_seq TO relata_app;
`;
  expect(granteesIn(schema)).toEqual(['Reporting "A"', 'relata_app', 'relata_keda']);
});

test('extensions that the owner may not create are removed from the contents, with their comments and nothing else', () => {
  const contents = `; Archive created at 2026-11-27
2; 3079 16386 EXTENSION - uuid-ossp\u0020
3400; 0 0 COMMENT - EXTENSION "uuid-ossp"\u0020
3; 3079 16400 EXTENSION - citext\u0020
3401; 0 0 COMMENT - EXTENSION citext\u0020
215; 1259 16500 TABLE public EXTENSION relata
3402; 0 0 COMMENT public TABLE EXTENSION relata
`;
  const left = leaveOutExtensions(contents, new Set(['citext']));
  expect(left.leftOut).toEqual(['uuid-ossp']);
  expect(left.contents).toBe(
    contents
      .split('\n')
      .filter((line) => !line.includes('uuid'))
      .join('\n'),
  );
});
