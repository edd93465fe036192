import type { AppName } from '../../../services.ts';
import type { FloodContext } from '../../flood/flood.ts';
import type { Sent } from '@relata/testbed/http-client';
import { senderTo } from '../../flood/requests.ts';
import { neighbour, type Neighbour } from '../../neighbour.ts';

const connections = 4;

export interface RefusedBodies<Own> extends Pick<Neighbour<Own>, 'name' | 'settings' | 'probes' | 'prepare'> {
  app: AppName;
  /** Status and body of each kind of fault. */
  faults: Readonly<Record<string, readonly [status: number, body: () => Buffer]>>;
  /** Returns a request without its body. The number of the request selects its address or key. */
  sentOf: (context: FloodContext<Own>, kind: string, request: number) => Sent;
  of: string;
}

/** Returns a row with four connections that only send large bodies of all refused kinds, one after the other. */
export const refusedBodies = <Own = unknown>({ app, faults, sentOf, of, ...row }: RefusedBodies<Own>) =>
  neighbour<Own>({
    ...row,
    flood: `${connections} connections with large bodies that are refused, with ${Object.keys(faults).length} kinds of faults: ${of}`,
    apps: [app],
    // Includes bodies that are being read, and their garbage. Compose allows each app at least 512 MB.
    memory: { app, mostMb: 400 },
    responses: Object.fromEntries(Object.entries(faults).map(([kind, [status]]) => [kind, [status]])),
    async run(context) {
      const { signal } = context;
      const send = senderTo(context, app);
      const kinds = Object.entries(faults).map(([kind, [, body]]) => ({ kind, body: body() }));
      let requests = 0;
      const sendOnAndOn = async (place: number) => {
        // Each connection begins with a different kind.
        for (let at = place * Math.ceil(kinds.length / connections); !signal.aborted; at++) {
          const { kind, body } = kinds[at % kinds.length]!;
          await send({ method: 'POST', body, ...sentOf(context, kind, requests++) }, kind);
        }
      };
      await Promise.all(Array.from({ length: connections }, (_, place) => sendOnAndOn(place)));
    },
    hasEffect: ({ figures }) => Object.entries(faults).every(([kind, [status]]) => figures[`${kind} ${status}`]! > 0),
  });

/** Headers that differ for requests with a wrong type. */
export const typeOf = (kind: string) => ({ ...(kind === 'type' && { 'content-type': 'text/plain' }) });
