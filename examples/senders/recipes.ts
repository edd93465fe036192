import type { SignatureKindName } from '@relata/signatures';

/** A workflow for the posts of a sender, and the settings of its trigger. The definition is in `FILE.json`. */
export interface Recipe {
  /** Name, without extension, of the definition's file and of the sender's page. Several senders can share them. */
  file: string;
  /** Name of the trigger. */
  name: string;
  /** Heading that names the sender's event. */
  title: string;
  /** Sentences that say which event to choose in the sender, and what the workflow does. */
  text: string;
  /** Options of `relata triggers create`, in addition to the options for every kind. */
  options?: string;
  /** Expression for `--repeat-key`, for kinds without a default. */
  repeatKey?: string;
  inputs: Record<string, string>;
  filter?: string;
  /** A second workflow for the same posts. */
  more?: MoreWorkflow;
}

export interface MoreWorkflow extends Pick<Recipe, 'file' | 'title' | 'text' | 'inputs' | 'filter'> {
  /** Command to run before the commands that set up the workflow. */
  before: string;
}

const inboundForm = {
  file: 'repeated-secret',
  title: 'A form is sent',
  text: 'Your site, or a tool without signatures, posts a form as JSON or as form data. The workflow creates a contact, fills in the company, and notes the message. If you can, choose a sender that signs instead.',
  repeatKey: 'payload.id',
  inputs: {
    email: 'payload.email',
    name: 'payload.name',
    company: 'payload.company',
    message: 'payload.message',
  },
} satisfies Partial<Recipe>;

const byKind: Record<SignatureKindName, Omit<Recipe, 'file'> & Partial<Recipe>> = {
  github: {
    name: 'GitHub',
    title: 'An issue is opened',
    text: 'Choose the event Issues. The workflow notes each issue that is opened. GitHub names people by their login only, so the activity is not linked to a contact.',
    inputs: {
      repository: 'payload.repository.full_name',
      number: 'payload.issue.number',
      title: 'payload.issue.title',
      url: 'payload.issue.html_url',
      author: 'payload.issue.user.login',
    },
    filter: 'delivery.headers["x-github-event"] == "issues" && payload.action == "opened"',
  },
  stripe: {
    name: 'Stripe',
    title: 'A checkout is completed',
    text: 'Choose the event `checkout.session.completed`. The workflow creates a contact for the customer, fills in the phone number, and notes the amount. Stripe sends amounts in the smallest unit of the currency; the workflow lists the currencies that have no smaller unit. Sessions that have no email address or are not paid start nothing. With the Stripe CLI, no destination is needed: `stripe listen --forward-to URL` prints the secret for step 4, and `stripe trigger checkout.session.completed` sends a session.',
    inputs: {
      email: 'payload.data.object.customer_details.email',
      name: 'payload.data.object.customer_details.name',
      phone: 'payload.data.object.customer_details.phone',
      amount: 'payload.data.object.amount_total',
      currency: 'payload.data.object.currency',
    },
    filter:
      'payload.type == "checkout.session.completed" && payload.data.object.payment_status == "paid" && payload.data.object.customer_details.email != null',
  },
  shopify: {
    name: 'Shopify',
    title: 'An order is placed',
    text: 'Choose the event Order creation (`orders/create`). The workflow creates a contact for the customer, fills in the company of the billing address, and notes the order. Orders without an email address start nothing.',
    inputs: {
      email: 'payload.email',
      first_name: 'payload.customer.first_name',
      last_name: 'payload.customer.last_name',
      company: 'payload.billing_address.company',
      order: 'payload.name',
      total: 'payload.total_price',
      currency: 'payload.currency',
    },
    filter: 'delivery.headers["x-shopify-topic"] == "orders/create" && payload.email != null && payload.email != ""',
  },
  slack: {
    name: 'Slack',
    title: 'A message is posted',
    text: 'Subscribe to the bot event `message.channels`, and invite the app to the channel. The workflow stores each message that a person posts as an activity. Slack sends only the ids of people and channels, so the activity is not linked to a contact.',
    inputs: { channel: 'payload.event.channel', user: 'payload.event.user', text: 'payload.event.text' },
    filter:
      'payload.type == "event_callback" && payload.event.type == "message" && !has(payload.event.subtype) && !has(payload.event.bot_id) && payload.event.text != ""',
  },
  hubspot: {
    name: 'HubSpot',
    title: 'A deal changes',
    text: 'In a HubSpot workflow on deals, customize the request body with `hs_object_id`, `hs_lastmodifieddate`, `dealname`, `amount`, and the name of the associated company as `company`. The workflow in Relata creates an opportunity for each deal, and finds it again by the id of the deal. The workflow overwrites the amount of the opportunity, and keeps its name and account. The webhook subscriptions of an app post arrays of ids instead, without names and amounts: a mapping reads an id as `payload.0.objectId`.',
    repeatKey: 'string(payload.hs_object_id) + " " + string(payload.hs_lastmodifieddate)',
    inputs: {
      deal_id: 'payload.hs_object_id',
      name: 'payload.dealname',
      company: 'payload.company',
      amount: 'payload.amount',
    },
  },
  meta: {
    name: 'Meta',
    title: 'An instant form is filled in',
    text: 'Choose the object Page, and subscribe to the field `leadgen`. The workflow notes each lead. The post has only the ids of the lead and the form.',
    inputs: { entries: 'payload.entry' },
    filter: 'payload.object == "page"',
    more: {
      file: 'meta-contacts',
      title: 'Create contacts for leads',
      text: 'To read the fields of a lead, you need an access token of the page with the permission `leads_retrieval`. Copy the token into `token.txt`: the first command stores it as a [secret](../workflows.md#secrets), and you can delete the file. The workflow reads each lead and creates a contact for it, if the form asked for an email address. An existing contact keeps its name; its phone number and company are filled if they are empty. Your own questions have other field names, which `npx relata runs show RUN_ID` shows. If Meta puts several leads into one entry, the workflow only notes their ids.',
      before: 'npx relata secrets set META_TOKEN --org ORG_ID --value-file token.txt',
      inputs: { entries: 'payload.entry' },
      filter: 'payload.object == "page"',
    },
  },
  zoom: {
    name: 'Zoom',
    title: 'Somebody registers for a meeting',
    text: 'Choose the event `meeting.registration_created`. The workflow creates a contact for the registrant, fills in company, job title and phone number, and notes the meeting.',
    inputs: {
      email: 'payload.payload.object.registrant.email',
      first_name: 'payload.payload.object.registrant.first_name',
      last_name: 'payload.payload.object.registrant.last_name',
      company: 'payload.payload.object.registrant.org',
      title: 'payload.payload.object.registrant.job_title',
      phone: 'payload.payload.object.registrant.phone',
      topic: 'payload.payload.object.topic',
    },
    filter: 'payload.event == "meeting.registration_created"',
  },
  calendly: {
    name: 'Calendly',
    title: 'A meeting is booked',
    text: 'Subscribe to `invitee.created`. The workflow creates a contact for the invitee, and notes the time. If a meeting is rescheduled, Calendly sends a new invitee, so the workflow notes the meeting again.',
    repeatKey: 'payload.event + " " + payload.payload.uri',
    inputs: {
      email: 'payload.payload.email',
      name: 'payload.payload.name',
      event: 'payload.payload.scheduled_event.name',
      start: 'payload.payload.scheduled_event.start_time',
    },
    filter: 'payload.event == "invitee.created"',
  },
  paddle: {
    name: 'Paddle',
    title: 'A transaction is completed',
    text: 'Choose the event `transaction.completed`. A transaction has the id of its customer and no email address. If your checkout passes the address on as `customData: { email }`, the workflow creates a contact with it; otherwise the activity is not linked to a contact.',
    inputs: {
      transaction: 'payload.data.id',
      customer: 'payload.data.customer_id',
      email: 'payload.data.custom_data.email',
      total: 'payload.data.details.totals.grand_total',
      currency: 'payload.data.currency_code',
    },
    filter: 'payload.event_type == "transaction.completed"',
  },
  typeform: {
    name: 'Typeform',
    title: 'A form is sent',
    text: 'Typeform posts the answers as a list, in which skipped questions are missing. The workflow finds email addresses by their type, creates a contact for each, and notes the answers. For names, set the references of the two questions to `first_name` and `last_name`.',
    inputs: { form: 'payload.form_response.definition.title', answers: 'payload.form_response.answers' },
    filter: 'payload.event_type == "form_response" && has(payload.form_response.answers)',
  },
  linear: {
    name: 'Linear',
    title: 'An issue is created',
    text: 'Choose the data change event Issues. The workflow notes each issue that is created.',
    inputs: {
      identifier: 'payload.data.identifier',
      title: 'payload.data.title',
      url: 'payload.url',
      actor: 'payload.actor.name',
    },
    filter: 'payload.type == "Issue" && payload.action == "create"',
  },
  intercom: {
    name: 'Intercom',
    title: 'A new user',
    text: 'Choose the topics `contact.user.created` and `contact.lead.signed_up` (a lead became a user). The workflow creates a contact, fills in the phone number, and notes that the user is new in Intercom. Users without an email address start nothing.',
    inputs: { email: 'payload.data.item.email', name: 'payload.data.item.name', phone: 'payload.data.item.phone' },
    filter:
      'payload.topic in ["contact.user.created", "contact.lead.signed_up"] && payload.data.item.email != null && payload.data.item.email != ""',
  },
  zendesk: {
    name: 'Zendesk',
    title: 'A ticket is opened',
    text: 'Subscribe to the event Ticket created. The workflow notes the ticket. The event has the id of the requester and no email address, so the activity is not linked to a contact.',
    inputs: { id: 'payload.detail.id', subject: 'payload.detail.subject', priority: 'payload.detail.priority' },
    filter: 'payload.type == "zen:event-type:ticket.created"',
  },
  'standard-webhooks': {
    name: 'Clerk',
    title: 'A user signs up',
    text: 'Clerk, Resend and others send with Svix; other senders use one of the [libraries](https://www.standardwebhooks.com/). The recipe is for Clerk: choose the event `user.created`. The workflow creates a contact and notes the sign-up. Users without an email address start nothing.',
    inputs: {
      email: 'payload.data.email_addresses.0.email_address',
      first_name: 'payload.data.first_name',
      last_name: 'payload.data.last_name',
    },
    filter: 'payload.type == "user.created" && size(payload.data.email_addresses) > 0',
  },
  hmac: {
    name: 'Product',
    title: 'Somebody signs up for your product',
    text: 'This recipe is for any sender whose signature is an HMAC of the body, or of a text that contains the body. Here the sender is your own product, which signs the body and sends the signature in hexadecimal. The workflow creates a contact, fills in the company, creates an account for it if there is none, and notes the sign-up.',
    options: '--header X-Signature',
    repeatKey: 'payload.id',
    inputs: { email: 'payload.data.email', name: 'payload.data.name', company: 'payload.data.company' },
    filter: 'payload.type == "user.created"',
  },
  bearer: { ...inboundForm, name: 'Site' },
  basic: { ...inboundForm, name: 'Site', options: '--user relata' },
  header: { ...inboundForm, name: 'Site', options: '--header X-Api-Key' },
  query: { ...inboundForm, name: 'Site', options: '--parameter key' },
};

/** Recipes of all kinds of senders. Without `file`, its name is that of the kind. */
export const recipes = Object.fromEntries(
  Object.entries(byKind).map(([kind, recipe]) => [kind, { file: kind, ...recipe }]),
) as Record<SignatureKindName, Recipe>;
