import type { AppName } from '../../../services.ts';
import type { FloodContext } from '../../flood/flood.ts';
import type { Sent } from '@relata/testbed/http-client';
import { senderTo } from '../../flood/requests.ts';
import { neighbour, type Neighbour } from '../../neighbour.ts';

const connections = 4;

export interface RefusedBodies<Own> extends Pick<Neighbour<Own>, 'settings' | 'probes' | 'prepare'> {
  name: string;
  app: AppName;
  /** Returns a function per kind that makes a request. The number of the request selects its address or key. */
  kinds: (context: FloodContext<Own>) => Record<string, (request: number) => Sent>;
  /** Status with which each kind is answered. */
  statuses: Readonly<Record<string, number>>;
  /** Description for the table. */
  of: string;
}

/** Returns a row with four connections that only send large bodies of all refused kinds, one after the other. */
export const refusedBodies = <Own = unknown>(row: RefusedBodies<Own>) =>
  neighbour<Own>({
    name: row.name,
    flood: `${connections} connections with large bodies that are refused, with ${Object.keys(row.statuses).length} kinds of faults: ${row.of}`,
    probes: row.probes,
    apps: [row.app],
    ...(row.settings && { settings: row.settings }),
    ...(row.prepare && { prepare: row.prepare }),
    // Includes bodies that are being read, and their garbage. Compose allows each app at least 512 MB.
    memory: { app: row.app, mostMb: 400 },
    answers: Object.fromEntries(Object.entries(row.statuses).map(([kind, status]) => [kind, [status]])),
    async run(context) {
      const { signal } = context;
      const send = senderTo(context, row.app);
      const kinds = Object.entries(row.kinds(context));
      let requests = 0;
      const sendOnAndOn = async (place: number) => {
        // Each connection begins with a different kind.
        for (let at = place * Math.ceil(kinds.length / connections); !signal.aborted; at++) {
          const [kind, sent] = kinds[at % kinds.length]!;
          await send({ method: 'POST', ...sent(requests++) }, kind);
        }
      };
      await Promise.all(Array.from({ length: connections }, (_, place) => sendOnAndOn(place)));
    },
    hasEffect: ({ figures }) =>
      Object.entries(row.statuses).every(([kind, status]) => figures[`${kind} ${status}`]! > 0),
  });
