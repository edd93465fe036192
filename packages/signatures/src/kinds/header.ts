import { z } from 'zod';
import { readOne, valuesOf } from '../carrier.ts';
import type { ConfiguredKind } from '../kind.ts';
import { headerName } from '../option-fields.ts';
import { secretSender } from '../secret-sender.ts';

export const HeaderOptions = z.strictObject({ header: headerName });

type HeaderOptions = z.output<typeof HeaderOptions>;

/** A sender that sends a secret in a header of its own choice, such as `X-Api-Key`. */
export const header: ConfiguredKind<HeaderOptions, 'secret'> = {
  ...secretSender,
  maker: 'Secret header',
  page: 'https://www.rfc-editor.org/rfc/rfc9110#name-fields',
  options: HeaderOptions,
  optionTexts: { header: { label: 'Header', value: 'NAME', text: 'the header that carries the secret' } },
  configure: ({ header: name }) => ({
    proof: 'secret',
    place: `the header ${name}`,
    headers: [name],
    read: ({ rawHeaders }) => readOne(valuesOf(rawHeaders, name), (secret) => ({ secret })),
    write: (secret, url) => ({ url, headers: { [name]: secret } }),
  }),
  setup: [
    { text: 'In the sender, add a webhook or an HTTP request with the method POST.' },
    { text: 'URL', shows: 'url' },
    { text: 'Header', shows: 'option', option: 'header' },
    { text: 'Value of the header', shows: 'secret' },
    { text: 'Send a test request.' },
  ],
};
