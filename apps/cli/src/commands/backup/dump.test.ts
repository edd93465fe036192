import { expect, test } from 'vitest';
import { granteesIn } from './dump.ts';

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
