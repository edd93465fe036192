import { expect, test } from 'vitest';
import { granteesIn, leaveOut } from './dump.ts';

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

const contents = `; Archive created at 2026-11-27
2; 3079 16386 EXTENSION - uuid-ossp\u0020
3400; 0 0 COMMENT - EXTENSION "uuid-ossp"\u0020
;\tdepends on: 2
3; 3079 16400 EXTENSION - citext\u0020
3401; 0 0 COMMENT - EXTENSION citext\u0020
;\tdepends on: 3
215; 1259 16500 TABLE public EXTENSION relata
3402; 0 0 COMMENT public TABLE EXTENSION relata
;\tdepends on: 215
216; 1259 16501 TABLE public SERVER relata
;\tdepends on: 2 3
3411; 0 16500 TABLE DATA public EXTENSION relata
;\tdepends on: 215
3412; 0 16501 TABLE DATA public SERVER relata
;\tdepends on: 216
3413; 0 16600 TABLE DATA cron job postgres
;\tdepends on: 99
3414; 0 0 SEQUENCE SET cron jobid_seq postgres
;\tdepends on: 98
`;

const linesWithout = (removed: RegExp) =>
  contents.replaceAll(/.*\n(?:;\t.*\n)?/g, (each) => (removed.test(each) ? '' : each));

test('extensions that the owner may not create are removed from the contents, with their rows and nothing else', () => {
  const left = leaveOut(contents, new Set(['citext']));
  expect(left.leftOut).toEqual(['EXTENSION uuid-ossp', 'TABLE DATA cron job', 'SEQUENCE SET cron jobid_seq']);
  expect(left.contents).toBe(linesWithout(/uuid|cron/));
});

test('the rows of extensions stay in the contents if all extensions can be created', () => {
  expect(leaveOut(contents, new Set(['citext', 'uuid-ossp']))).toEqual({ contents, leftOut: [] });
});

test('publications, subscriptions, event triggers and foreign servers are removed, and so is what depends on them', () => {
  const more = `219; 1255 16399 FUNCTION public audit() relata
2059; 2328 16408 FOREIGN DATA WRAPPER - wrapper postgres
2060; 1417 16409 SERVER - legacy postgres
;\tdepends on: 2059
3392; 0 0 ACL - FOREIGN SERVER legacy postgres
;\tdepends on: 2060
3393; 0 0 USER MAPPING - USER MAPPING relata SERVER legacy postgres
216; 1259 16413 FOREIGN TABLE public people relata
;\tdepends on: 2060
3395; 0 0 COMMENT public COLUMN people.name relata
;\tdepends on: 216
218; 1259 16420 VIEW public names relata
;\tdepends on: 215 216
3500; 0 0 TABLE ATTACH public people relata
;\tdepends on: 215 216
3375; 6104 16397 PUBLICATION - Two Words postgres
3377; 6106 16398 PUBLICATION TABLE public Two Words accounts postgres
;\tdepends on: 3375 215 215
3378; 6237 16396 PUBLICATION TABLES IN SCHEMA public Two Words public postgres
;\tdepends on: 3375
3379; 6100 16424 SUBSCRIPTION - upstream postgres
3225; 3466 16400 EVENT TRIGGER - audit postgres
;\tdepends on: 219
3400; 0 0 COMMENT - EVENT TRIGGER audit postgres
;\tdepends on: 3225
`;
  const left = leaveOut(`${contents}${more}`, new Set(['citext', 'uuid-ossp']));
  expect(left.contents).toBe(`${contents}${more.split('\n')[0]}\n`);
  expect(left.leftOut).toEqual([
    'FOREIGN DATA WRAPPER wrapper',
    'SERVER legacy',
    'FOREIGN TABLE public people',
    'VIEW public names',
    'TABLE ATTACH public people',
    'PUBLICATION Two Words',
    'SUBSCRIPTION upstream',
    'EVENT TRIGGER audit',
  ]);
});
