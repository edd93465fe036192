import { signIn } from '@relata/testbed/site';
import { RefusedBody } from './refused-body.ts';
import { refusedBodies } from './refused-bodies.ts';

const body = new RefusedBody(1_000_000);
const sessionsCount = 20;

interface Sessions {
  cookies: string[];
}

/** Searches of deliveries, which everybody with read permission can send. Each session keeps within its limit. */
export const refusedConsole = refusedBodies<Sessions>({
  name: 'refused-console',
  app: 'console',
  probes: ['console'],
  of: 'syntax, levels, fields, wide objects, a list of objects, size, type, session',
  statuses: { syntax: 400, levels: 400, fields: 400, wide: 400, objects: 400, size: 413, type: 415, session: 401 },
  async prepare({ database }, { orgId }) {
    const cookies: string[] = [];
    while (cookies.length < sessionsCount) cookies.push(await signIn(database, orgId));
    return { cookies };
  },
  kinds({ flooder, own: { cookies } }) {
    const path = `/console/api/orgs/${flooder.orgId}/deliveries/search`;
    const of = (bytes: Buffer, headers = {}) => {
      return (request: number) => ({
        path,
        body: bytes,
        headers: { 'sec-fetch-site': 'same-origin', cookie: cookies[request % cookies.length]!, ...headers },
      });
    };
    const text = body.text();
    return {
      syntax: of(body.syntax('')),
      levels: of(body.levels('', 'where')),
      fields: of(body.fields('')),
      wide: of(body.fields('"where":{', '}}')),
      objects: of(body.list('"where":', '{}', '}')),
      size: of(Buffer.concat([text, text])),
      type: of(text, { 'content-type': 'text/plain' }),
      session: of(text, { cookie: 'relata_session=relata_ses_0000000000000000000000000000000000000000' }),
    };
  },
});
