import { type Kind, logging } from './kind.ts';

const secret = 'whsec_chaos_2f7d51c09b';

/** Kinds of senders that sign, with and without a timestamp. Valid posts are repeated with the same id. */
export const signedKinds: readonly Kind[] = [
  {
    ...posting('signed-github', 202),
    sender: { signature: { kind: 'github' }, repeatHeader: 'x-github-delivery' },
  },
  {
    ...posting('signed-stripe', 202),
    payload: (nonce) => ({ nonce, id: `evt_${nonce}` }),
    sender: { signature: { kind: 'stripe' }, secret },
  },
  {
    ...posting('signed-forged', 401),
    workflows: [{ ...logging('signed-forged'), ending: 'none' }],
    weight: 0.5,
    sender: { signature: { kind: 'stripe' }, secret, isForged: true },
  },
];

function posting(name: string, status: number): Kind {
  return { name, weight: 2, status, payload: (nonce) => ({ nonce }), workflows: [logging(name)] };
}
