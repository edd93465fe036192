import { type Kind, logging, logStep, succeeding } from './kind.ts';
import { contendingKinds } from './contending-kinds.ts';
import { poisonousKinds } from './poisonous-kinds.ts';
import { signedKinds } from './signed-kinds.ts';

const hotContacts = 12;
const pausesMs = [150, 700, 1_400];

/** Many runs write the same few contacts, so that transactions of different workers wait for each other. */
const upserting: Kind = {
  name: 'upserting',
  weight: 8,
  status: 202,
  payload: (nonce, random) => ({ nonce, email: `hot-${random.between(1, hotContacts)}@chaos.example` }),
  workflows: [
    succeeding('upserting', { email: { type: 'string', format: 'email', required: true } }, [
      {
        id: 'contact',
        use: 'contact.upsert',
        with: { match: { email: '${{ inputs.email }}' }, set: { first_name: 'Hot', last_name: 'Contact' } },
      },
      {
        id: 'log',
        use: 'activity.create',
        with: { content: '${{ inputs.nonce }}', source: 'upserting', contact_ids: ['${{ steps.contact.id }}'] },
      },
    ]),
  ],
};

const waiting: Kind = {
  name: 'waiting',
  weight: 5,
  status: 202,
  payload: (nonce, random) => ({ nonce, pause: `${random.pick(pausesMs)}ms` }),
  workflows: [
    succeeding('waiting', { pause: { type: 'string', required: true } }, [
      { id: 'pause', use: 'delay', with: { for: '${{ inputs.pause }}' } },
      logStep('waiting'),
    ]),
  ],
};

/** The other system answers one call in twenty with 503. With so many attempts no run fails because of that. */
const retry = { max_attempts: 20, initial_delay: '100ms', max_delay: '1s' };

const call = {
  id: 'call',
  use: 'http.request',
  with: { method: 'POST', url: '${{ inputs.outside }}', json: { nonce: '${{ inputs.nonce }}' } },
  retry,
  timeout: '5s',
};

const calling: Kind = {
  name: 'calling',
  weight: 5,
  status: 202,
  payload: (nonce) => ({ nonce }),
  workflows: [
    succeeding('calling', { outside: { type: 'string', required: true } }, [call, logStep('calling')], {
      inputs: { nonce: 'payload.nonce' },
      isCalling: true,
    }),
  ],
};

const looping: Kind = {
  name: 'looping',
  weight: 4,
  status: 202,
  payload: (nonce, random) => ({ nonce, items: Array.from({ length: random.between(0, 5) }, (_, at) => at) }),
  workflows: [
    succeeding(
      'looping',
      { items: { type: 'array', required: true } },
      [
        {
          id: 'each',
          use: 'for_each',
          with: { items: '${{ inputs.items }}' },
          steps: [logStep('looping', '${{ inputs.nonce }}#${{ index }}')],
        },
      ],
      {
        steps: ({ items }) => ['each succeeded', ...(items as []).map((_, at) => `each[${at}].log succeeded`)],
        effects: ({ nonce, items }) => (items as []).map((_, at) => `looping ${nonce}#${at}`),
      },
    ),
  ],
};

const paired: Kind = {
  name: 'paired',
  weight: 4,
  status: 202,
  payload: (nonce) => ({ nonce }),
  workflows: [logging('paired-first'), logging('paired-second')],
};

export const kinds: readonly Kind[] = [
  upserting,
  waiting,
  calling,
  looping,
  paired,
  ...contendingKinds,
  ...poisonousKinds,
  ...signedKinds,
];
