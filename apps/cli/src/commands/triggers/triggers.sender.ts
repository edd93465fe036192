/** What the sender of deliveries must be given. */
interface Sending {
  path: string;
  /** The whole address, where it is known. */
  url?: string | undefined;
  /** Undefined where an API key opens the trigger. */
  secret: string | undefined;
}

/** What a sender must do, with a command that does it. */
export function senderText({ path, url, secret }: Sending): string {
  const shown = secret ?? 'KEY';
  return [
    `A sender posts JSON to ${path} of the service, with ${secret === undefined ? 'the key' : 'the secret'} in the header X-Webhook-Secret:`,
    `  curl ${url ?? `https://YOUR-SERVICE${path}`} -H 'X-Webhook-Secret: ${shown}' -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}'`,
  ].join('\n');
}
