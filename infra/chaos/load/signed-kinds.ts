import type { Kind, KindWorkflow } from './kind.ts';

type Logging = (name: string) => KindWorkflow;

/** Returns kinds of senders that sign, with and without a timestamp. Valid posts are repeated with the same id. */
export function signedKinds(logging: Logging): Kind[] {
  const secret = 'whsec_chaos_2f7d51c09b';
  return [
    {
      ...posting('signed-github', 202, logging),
      sender: { signature: { kind: 'github' }, repeatHeader: 'x-github-delivery' },
    },
    {
      ...posting('signed-stripe', 202, logging),
      payload: (nonce) => ({ nonce, id: `evt_${nonce}` }),
      sender: { signature: { kind: 'stripe' }, secret },
    },
    {
      ...posting('signed-forged', 401, () => ({ ...logging('signed-forged'), ending: 'none' })),
      weight: 0.5,
      sender: { signature: { kind: 'stripe' }, secret, isForged: true },
    },
  ];
}

function posting(name: string, status: number, logging: Logging): Kind {
  return { name, weight: 2, status, payload: (nonce) => ({ nonce }), workflows: [logging(name)] };
}
