import { type Person, people } from './people.ts';

type DayTrigger = 'website' | 'partner' | 'github' | 'shopify';

export interface DayPost {
  to: DayTrigger;
  body: object;
  /** Headers of the sender, without credentials. */
  headers: Record<string, string>;
}

const messages = [
  'We would like to see a demo.',
  'How do we import our contacts?',
  'Does the Team plan include the API?',
  'Please call me back this week.',
];
const pages = ['/pricing', '/contact', '/demo', '/features/webhooks'];

const form = ({ name, email, company }: Person, at: number): DayPost => ({
  to: 'website',
  headers: { 'idempotency-key': `form-${1_041 + at}` },
  body: {
    event: 'form.submitted',
    page: pages[at % pages.length],
    user: { name, email },
    form: { company, message: messages[at % messages.length] },
  },
});

const referral = ({ name, email, company }: Person, at: number): DayPost => ({
  to: 'partner',
  headers: { 'idempotency-key': `referral-${310 + at}` },
  body: { event: 'lead.referred', partner: 'Northwind Bakery', user: { name, email }, form: { company } },
});

const totals = ['39.00', '612.50', '18.90', '74.00', '1480.00', '129.00', '55.40', '890.00', '24.00', '96.70'];

const order = ({ name, email, company }: Person, at: number): DayPost => {
  const [first_name, ...others] = name.split(' ');
  return {
    to: 'shopify',
    headers: {
      'x-shopify-topic': 'orders/create',
      'x-shopify-webhook-id': `b54557e4-bdd9-4b37-8a5f-bf7d70bcd${100 + at}`,
    },
    body: {
      id: 5_551_001 + at,
      name: `#${1_207 + at}`,
      email,
      currency: 'EUR',
      total_price: totals[at],
      customer: { first_name, last_name: others.join(' '), default_address: { company } },
    },
  };
};

const repository = { full_name: 'acme/robot-arm', html_url: 'https://github.com/acme/robot-arm' };
const issue = {
  number: 42,
  title: 'Gripper stalls when two orders arrive at once',
  html_url: `${repository.html_url}/issues/42`,
  user: { login: 'kenji-sato' },
};

const gitHubEvents: readonly (readonly [event: string, body: object])[] = [
  ['ping', { zen: 'Keep it logically awesome.', hook_id: 4_821 }],
  ['issues', { action: 'opened', issue }],
  ['issue_comment', { action: 'created', issue, comment: { body: 'We see this too.', user: { login: 'nora-h' } } }],
  ['star', { action: 'created', starred_at: '2026-01-12T09:30:00Z', sender: { login: 'oskar-n' } }],
  ['push', { ref: 'refs/heads/main', commits: [{ message: 'Retry the gripper once' }] }],
  ['issues', { action: 'labeled', issue, label: { name: 'bug' } }],
];

const gitHub = ([event, body]: (typeof gitHubEvents)[number], at: number): DayPost => ({
  to: 'github',
  headers: { 'x-github-event': event, 'x-github-delivery': `72d3162e-cc78-11e3-81ab-4c9367dc0${100 + at}` },
  body: { ...body, repository },
});

/** Posts of the day, always the same. The posts of the four senders are mixed. */
export const dayPosts: readonly DayPost[] = mixed([
  people.slice(0, 16).map(form),
  people.slice(14, 24).map(order),
  people.slice(16).map(referral),
  gitHubEvents.map(gitHub),
]);

/** Merges lists into one. The items of shorter lists are spread evenly over the longest list. */
function mixed(lists: readonly (readonly DayPost[])[]): DayPost[] {
  const placed = lists.flatMap((posts) => posts.map((post, at) => ({ post, place: (at + 0.5) / posts.length })));
  return placed.toSorted((one, other) => one.place - other.place).map(({ post }) => post);
}

/** The visitor who asks for a demo in the chat of the site. */
export const dayVisitor = {
  name: 'Lucy Harper',
  work_email: 'lucy@harperprint.example',
  company: 'Harper Print',
  team_size: '11-50',
  message: 'Could you show us how orders of our shop become accounts?',
};
