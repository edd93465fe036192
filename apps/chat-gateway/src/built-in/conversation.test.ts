import { expect, test } from 'vitest';
import { ask, source } from './built-in.harness.ts';

const offered = 'I don’t know that. Shall I arrange a demo, so that somebody from our team can answer it?';
const sources = [
  source(1, 'Single sign-on', 'On the Business plan your people sign in over SAML.'),
  source(2, 'Pricing', 'The price is $39 per user.'),
];

test.each(['yes', 'Yes, please!', 'sure, please', 'ok', 'ja gerne', 'oui', 'sí', 'yes thanks', 'please do'])(
  '%j accepts a demo that was offered',
  async (said) => {
    expect(await ask(['What about bicycles?', offered, said], { sources })).toHaveProperty('offer');
  },
);

test.each([
  ['please tell me the price', /\$39/],
  ['sure, but first tell me about single sign-on', /SAML/],
  ['yes but what does it cost', /\$39/],
  ['ok no', /^No problem/],
  ['nein danke', /^No problem/],
  ['maybe', /^No problem/],
  ['ok thanks', /^You are welcome/],
])('%j after the offer of a demo gets its own answer', async (said, kind) => {
  const { text, offer } = await ask(['What about bicycles?', offered, said], { sources });
  expect(text).toMatch(kind);
  expect(offer).toBeUndefined();
});

test('an e-mail address after the form is filled into the form', async () => {
  const shown = (await ask('I want a demo')).text;
  const { text, offer } = await ask(['I want a demo', shown, 'it is ada@robotics.example']);
  expect(offer).toEqual({ work_email: 'ada@robotics.example' });
  expect(text).toMatch(/^Thank you\./);
});

test.each(['What is the price?', 'Single Sign On', 'thanks'])(
  '%j after the form is not mistaken for contact details',
  async (said) => {
    const shown = (await ask('demo please')).text;
    expect(await ask(['demo please', shown, said], { sources })).not.toHaveProperty('offer');
  },
);

test.each(['What is the weather in Paris?', 'do you sell bicycles', 'who is your dentist', 'is it for me'])(
  'a question without matching pages is answered in English: %j',
  async (said) => {
    expect((await ask(said)).text).toMatch(/^I am sorry/);
  },
);

test.each([
  ['?', /^What would you like to know/],
  ['$', /^What would you like to know/],
  ['👍', /^Good!/],
  ['no thanks', /^No problem/],
])('%j is not small talk', async (said, kind) => {
  expect((await ask(['hi', 'Hello!', said])).text).toMatch(kind);
});
