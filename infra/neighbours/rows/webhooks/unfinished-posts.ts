import { neighbour } from '../../neighbour.ts';
import { postOnAndOn } from '../../flood/requests.ts';

const bodyBytes = 524_288;
/** The last bytes are never sent. */
const almostAll = Buffer.alloc(bodyBytes - 8, ' ');

/** Posts that occupy the memory, and posts that occupy it again once it is released. */
const patient = { count: 128, body: almostAll, pieceBytes: 16_384, againAfterMs: 5_000 };
const eager = { count: 8, body: almostAll, pieceBytes: 65_536, againAfterMs: 100 };
const sendersCount = patient.count + eager.count;

export const unfinishedPosts = neighbour({
  name: 'V3',
  flood: `${sendersCount} posts of 512 KB that never end, to one trigger`,
  probes: ['webhook', 'sibling'],
  apps: ['webhook-ingest'],
  responses: { status: [408, 503] },
  async run(context) {
    const { path, headers: opening } = context.flooder.plain;
    const headers = { ...opening, 'content-type': 'application/json', 'content-length': bodyBytes };
    const request = { url: context.urls['webhook-ingest']!, method: 'POST', path, headers } as const;
    const all = [patient, eager].flatMap((slow) =>
      Array.from({ length: slow.count }, () => postOnAndOn(context, request, slow)),
    );
    await Promise.all(all);
  },
  // The maximum number of bodies is held, and the others were refused.
  hasEffect: ({ figures }) => figures['held']! > 0 && figures['held']! + figures['refused']! >= sendersCount,
});
