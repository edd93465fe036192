import { signIn } from '@relata/testbed/fixtures';
import { RefusedBody } from './refused-body.ts';
import { refusedBodies, typeOf } from './refused-bodies.ts';

const body = new RefusedBody(1_000_000);
const sessionsCount = 20;
const wrongCookie = 'relata_session=relata_ses_0000000000000000000000000000000000000000';

/** Searches of deliveries, which everybody with read permission can send. Each session keeps within its limit. */
export const refusedConsole = refusedBodies<{ cookies: string[] }>({
  name: 'refused-console',
  app: 'console',
  probes: ['console'],
  of: 'syntax, levels, fields, wide objects, a list of objects, size, type, session',
  faults: {
    syntax: [400, () => body.syntax('')],
    levels: [400, () => body.levels('', 'where')],
    fields: [400, () => body.fields('')],
    wide: [400, () => body.fields('"where":{', '}}')],
    objects: [400, () => body.list('"where":', '{}', '}')],
    size: [413, () => body.tooLarge()],
    type: [415, () => body.text()],
    session: [401, () => body.text()],
  },
  async prepare({ database }, { orgId }) {
    const cookies: string[] = [];
    while (cookies.length < sessionsCount) cookies.push(await signIn(database, orgId));
    return { cookies };
  },
  sentOf: ({ flooder, own: { cookies } }, kind, request) => {
    const cookie = kind === 'session' ? wrongCookie : cookies[request % cookies.length]!;
    return {
      path: `/console/api/orgs/${flooder.orgId}/deliveries/search`,
      headers: { 'sec-fetch-site': 'same-origin', cookie, ...typeOf(kind) },
    };
  },
});
