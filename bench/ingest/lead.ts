import type { InputMapping } from '@relata/workflows';

/** Every body has exactly this length. */
const bodyBytes = 1_024;

export function leadEmail(number: number): string {
  return `visitor-${number}@robotics.example`;
}

/** Returns the body that a form sends: 1 KB of JSON that differs from number to number. */
export function leadBody(number: number): string {
  const body = (message: string) =>
    JSON.stringify({
      event: 'form.submitted',
      user: { email: leadEmail(number), name: `Visitor ${number}`, locale: 'de-CH' },
      form: { id: 'contact', page: 'https://www.example.com/pricing?plan=team', is_first_visit: number % 2 === 0 },
      tags: ['inbound', 'robotics', 'website'],
      message,
    });
  const text = 'We assemble gearboxes and would like to see what our sales team could do with this. ';
  const missing = bodyBytes - body('').length;
  return body(text.repeat(Math.ceil(missing / text.length)).slice(0, missing));
}

/** Returns a workflow with two record steps, like the example in the documentation. */
export function leadWorkflow(name: string): object {
  return {
    name,
    description: 'Turn a form post into a contact and an activity',
    inputs: { email: { type: 'string', format: 'email', required: true }, name: { type: 'string' } },
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
    ],
  };
}

export const leadInputs: InputMapping = { email: 'payload.user.email', name: 'payload.user.name' };
