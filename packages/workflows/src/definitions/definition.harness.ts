import { DefinitionError, type DefinitionFault } from './definition.error.ts';
import { readDefinition } from './read-definition.ts';

/** The example workflow of the documentation. */
export const inboundLead = {
  name: 'inbound-lead',
  description: 'Turn a form post into an account, a contact and an activity',
  inputs: {
    email: { type: 'string', format: 'email', required: true },
    name: { type: 'string' },
    company: { type: 'string' },
  },
  steps: [
    {
      id: 'contact',
      use: 'contact.upsert',
      with: {
        match: { email: '${{ inputs.email }}' },
        set: { first_name: "${{ has(inputs.name) ? inputs.name : 'Unknown' }}", last_name: '(inbound)' },
      },
    },
    {
      id: 'log',
      use: 'activity.create',
      with: {
        content: 'Form sent by ${{ inputs.email }}',
        source: 'webhook',
        direction: 'inbound',
        contact_ids: ['${{ steps.contact.id }}'],
      },
    },
    {
      id: 'tell',
      use: 'http.request',
      when: 'has(inputs.company)',
      with: { method: 'POST', url: 'https://example.com/hook', json: { company: '${{ inputs.company }}' } },
      retry: { max_attempts: 5, initial_delay: '1s', max_delay: '5m' },
      timeout: '10s',
      on_error: 'continue',
    },
  ],
};

/** Returns a workflow with the given steps. A step without an id gets a generated id. */
export function exampleWorkflow(steps: readonly object[], rest: object = {}): object {
  return { name: 'x', ...rest, steps: steps.map((step, i) => ({ id: `s${i}`, ...step })) };
}

function faultsOf(json: unknown): readonly DefinitionFault[] {
  try {
    readDefinition(json);
    return [];
  } catch (error) {
    if (error instanceof DefinitionError) return error.faults;
    throw error;
  }
}

/** Returns the faults of a definition as lines. */
export function faultLines(json: unknown): string[] {
  return faultsOf(json).map(({ path, message, hint }) => [`${path}:`, message, hint].filter(Boolean).join(' '));
}
