import { type Kind, type KindWorkflow, logStep, type Payload, succeeding } from './kind.ts';

const people = Array.from({ length: 20 }, (_, at) => `person-${at}@chaos.example`);
const peopleOfPost = 10;
const pairs = 4;

/** Each run changes ten of the same twenty people, in random order. */
const shuffled: Kind = {
  name: 'shuffled',
  weight: 3,
  status: 202,
  payload: (nonce, random) => ({ nonce, people: random.shuffled(people).slice(0, peopleOfPost) }),
  workflows: [
    succeeding(
      'shuffled',
      { people: { type: 'array', required: true } },
      [
        { id: 'each', use: 'for_each', with: { items: '${{ inputs.people }}' }, steps: [contactStep('${{ item }}')] },
        logStep('shuffled'),
      ],
      {
        steps: (payload) => [
          'each succeeded',
          ...peopleOf(payload).map((_, at) => `each[${at}].contact succeeded`),
          'log succeeded',
        ],
      },
    ),
  ],
};

/** Two runs of each post change the same contact and account in opposite orders. */
const crossing: Kind = {
  name: 'crossing',
  weight: 3,
  status: 202,
  payload: (nonce, random) => ({ nonce, pair: `pair-${random.between(1, pairs)}` }),
  workflows: [
    crossingWorkflow('crossing-there', [contactStep('${{ inputs.pair }}@chaos.example'), accountStep()]),
    crossingWorkflow('crossing-back', [accountStep(), contactStep('${{ inputs.pair }}@chaos.example')]),
  ],
};

/** Kinds whose runs change the same records in different orders, so that they wait for each other. */
export const contendingKinds: readonly Kind[] = [shuffled, crossing];

function crossingWorkflow(name: string, steps: { id: string }[]): KindWorkflow {
  return succeeding(name, { pair: { type: 'string', required: true } }, [...steps, logStep(name)]);
}

/** Returns a step that changes the contact each time, so that it always locks the row. */
function contactStep(email: string) {
  const set = { first_name: 'Shared', last_name: 'Person', title: '${{ inputs.nonce }}' };
  return { id: 'contact', use: 'contact.upsert', with: { match: { email }, set } };
}

function accountStep() {
  const match = { account_name: 'Company of ${{ inputs.pair }}' };
  return { id: 'account', use: 'account.upsert', with: { match, set: { city: '${{ inputs.nonce }}' } } };
}

function peopleOf({ people: given }: Payload): string[] {
  return given as string[];
}
