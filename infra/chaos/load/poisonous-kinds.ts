import { type Kind, type KindWorkflow, logging, logStep, type Payload, succeeding } from './kind.ts';

const notStarted = { ending: 'none', steps: () => [], effects: () => [] } as const;

/** Kinds of posts that are invalid or unusual. None of these posts may affect another post. */
export const poisonousKinds: readonly Kind[] = [
  failing('broken-expression', 'expression_error', { content: '${{ string(inputs.items[7]) }}' }),
  failing('broken-set', 'validation_error', { content: '${{ inputs.nonce }}', direction: '${{ inputs.wrong }}' }),
  withNeighbour('broken-definition', { isUnreadable: true }),
  withNeighbour('broken-filter', { filter: 'payload.items[9] == 1' }),
  { ...accepted('strange-text'), body: strangeText },
  { ...accepted('large'), payload: (nonce) => ({ nonce, filling: 'x'.repeat(300_000) }), weight: 0.3 },
  refused('no-json', 400, ({ nonce }) => Buffer.from(`{"nonce":"${nonce}"`)),
  refused('no-object', 400, ({ nonce }) => Buffer.from(JSON.stringify([{ nonce }]))),
  refused('no-utf8', 400, ({ nonce }) =>
    Buffer.concat([Buffer.from(`{"nonce":"${nonce}`), Buffer.from([0xff, 0x22, 0x7d])]),
  ),
  refused('too-deep', 400, ({ nonce }) => Buffer.from(`{"nonce":"${nonce}","a":${'['.repeat(20)}${']'.repeat(20)}}`)),
  refused('too-many-keys', 400, ({ nonce }) => jsonOf({ nonce, ...keys(1_000) })),
  refused('too-large', 413, ({ nonce }) => jsonOf({ nonce, filling: 'x'.repeat(524_288) })),
  refused('without-input', 400, ({ nonce }) => jsonOf({ nonsense: nonce })),
];

/** Returns a kind whose run fails permanently in its second step, after the first one has succeeded. */
function failing(name: string, error: string, activity: Record<string, string>): Kind {
  const second = { id: 'fault', use: 'activity.create', with: { source: name, ...activity } };
  return {
    name,
    weight: 1,
    status: 202,
    payload: (nonce) => ({ nonce, items: [1], wrong: 'sideways' }),
    workflows: [
      succeeding(name, { items: { type: 'array' }, wrong: { type: 'string' } }, [logStep(name), second], {
        ending: 'failed',
        error,
        steps: () => ['log succeeded', 'fault failed'],
      }),
    ],
  };
}

/** Returns a kind with two workflows. The second one cannot be started. */
function withNeighbour(name: string, fault: Partial<KindWorkflow>): Kind {
  const broken: KindWorkflow = { ...logging(name), ...notStarted, ...fault };
  return { ...accepted(name), workflows: [logging(`${name}-neighbour`), broken] };
}

function accepted(name: string): Kind {
  return { name, weight: 1, status: 202, payload: (nonce) => ({ nonce }), workflows: [logging(name)] };
}

function refused(name: string, status: number, body: (payload: Payload) => Buffer): Kind {
  const workflow = succeeding(name, {}, [logStep(name)], notStarted);
  return { name, weight: 0.3, status, payload: (nonce) => ({ nonce }), body, workflows: [workflow] };
}

/** Returns valid JSON with strings that PostgreSQL's `text` and `jsonb` refuse, and with a member `__proto__`. */
function strangeText({ nonce }: Payload): Buffer {
  return Buffer.from(`{"nonce":"${nonce}","zero":"a\\u0000b","half":"\\ud800","\\u0000":1,"__proto__":{"nonce":"x"}}`);
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function keys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
}
