import { z } from 'zod';
import { readOne } from '../carrier.ts';
import type { ConfiguredKind } from '../kind.ts';
import { secretSender } from '../secret-sender.ts';

export const QueryOptions = z.strictObject({
  parameter: z.string().regex(/^[A-Za-z0-9_.~-]{1,100}$/, 'May contain only letters, digits, -, _, . and ~.'),
});

type QueryOptions = z.output<typeof QueryOptions>;

/** A sender in which an operator can configure only the URL. The value of the parameter is never logged or stored. */
export const query: ConfiguredKind<QueryOptions, 'secret'> = {
  ...secretSender,
  maker: 'Secret in the URL',
  page: 'https://url.spec.whatwg.org/#application/x-www-form-urlencoded',
  options: QueryOptions,
  optionTexts: {
    parameter: { label: 'Parameter', value: 'NAME', text: 'the parameter of the URL that carries the secret' },
  },
  configure: ({ parameter }) => ({
    proof: 'secret',
    place: `the parameter ${parameter} of the URL`,
    headers: [],
    read: ({ url }) => readOne(queryOf(url).getAll(parameter), (secret) => ({ secret })),
    write: (secret, url) => {
      const target = new URL(url);
      target.searchParams.set(parameter, secret);
      return { url: target.href, headers: {} };
    },
  }),
  warning: `${secretSender.warning} A secret in the URL also appears in the logs of proxies and senders.`,
  setup: [
    { text: 'In the sender, add a webhook or an HTTP request with the method POST. URL', shows: 'url' },
    { text: 'Append ? and a query parameter to the URL. Name of the parameter', shows: 'option', option: 'parameter' },
    { text: 'Value of the parameter, after =', shows: 'secret' },
    { text: 'Send a test request.' },
  ],
};

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}
