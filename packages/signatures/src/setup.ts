import type { SignatureKindName } from './kinds.ts';

export interface SetupStep {
  text: string;
  /**
   * Value to copy into the sender: the URL of the trigger or its secret; or `sender_secret`, to copy from the sender
   * into the trigger.
   */
  shows?: 'url' | 'secret' | 'sender_secret';
  /** Another value to enter there. */
  value?: string;
}

/** Steps to set up a sender that signs, by kind, in the words of the sender's own pages. */
export const setupOfKind: Record<SignatureKindName, readonly SetupStep[]> = {
  // https://docs.github.com/en/webhooks/using-webhooks/creating-webhooks
  github: [
    { text: 'In the repository or organization, open Settings, Webhooks, and choose Add webhook.' },
    { text: 'Payload URL', shows: 'url' },
    { text: 'Content type', value: 'application/json' },
    { text: 'Secret', shows: 'secret' },
    { text: 'Choose the events to send, and choose Add webhook. GitHub sends a ping at once.' },
  ],
  // https://docs.stripe.com/webhooks
  stripe: [
    { text: 'In the Stripe Dashboard, open Developers, Webhooks, and choose Add destination.' },
    { text: 'Select the events to send, and Webhook endpoint as the destination type.' },
    { text: 'Endpoint URL', shows: 'url' },
    { text: 'Open the new destination and reveal its signing secret (whsec_…).', shows: 'sender_secret' },
  ],
  // https://help.shopify.com/en/manual/fulfillment/setup/notifications/webhooks
  shopify: [
    { text: 'In the Shopify admin, open Settings, Notifications, Webhooks, and choose Create webhook.' },
    { text: 'Choose the event and a recent API version. Format', value: 'JSON' },
    { text: 'URL', shows: 'url' },
    { text: 'Save. The page shows what your webhooks are signed with.', shows: 'sender_secret' },
    { text: 'Choose Send test next to the webhook.' },
  ],
  // https://docs.slack.dev/apis/events-api
  slack: [
    {
      text: 'At api.slack.com/apps, open your app. Basic Information, App Credentials has the signing secret.',
      shows: 'sender_secret',
    },
    { text: 'Open Event Subscriptions and turn on Enable Events. Request URL', shows: 'url' },
    { text: 'Slack verifies the URL at once. Subscribe to bot events, and choose Save Changes.' },
  ],
  // https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests
  hubspot: [
    { text: 'In HubSpot, open your app. Auth has its client secret.', shows: 'sender_secret' },
    { text: 'In a workflow, add the action Send a webhook with the method POST. Webhook URL', shows: 'url' },
    { text: 'Authentication type: Include request signature in header, with the id of your app.' },
    { text: 'Customize the request body to choose the fields to send, and turn the workflow on.' },
  ],
  // https://www.standardwebhooks.com/
  'standard-webhooks': [
    { text: 'Open the webhooks page of the sender, and add an endpoint.' },
    { text: 'URL', shows: 'url' },
    { text: 'Signing secret, if you can enter one there', shows: 'secret' },
    { text: 'If the sender creates the secret (whsec_…):', shows: 'sender_secret' },
  ],
  hmac: [
    { text: 'Open the webhooks page of the sender, and add one.' },
    { text: 'URL', shows: 'url' },
    { text: 'Secret, if you can enter one there', shows: 'secret' },
    { text: 'If the sender creates the secret:', shows: 'sender_secret' },
  ],
};

/** Steps to set up a sender that does not sign but can send a header. */
export const setupOfHeader: readonly SetupStep[] = [
  { text: 'In the sender, add a webhook or an HTTP request: method POST, body JSON.' },
  { text: 'URL', shows: 'url' },
  { text: 'Header', value: 'Content-Type: application/json' },
  { text: 'Header X-Webhook-Secret', shows: 'secret' },
  { text: 'Send a test request.' },
];
