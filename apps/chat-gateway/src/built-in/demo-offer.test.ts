import { expectWithin } from '@relata/testing';
import { expect, test } from 'vitest';
import { ask, source, stream } from './built-in.harness.ts';

const offered = 'I don’t know that. Shall I arrange a demo, so that somebody from our team can answer it?';

test.each([
  'demo',
  'A demo please',
  "I'd like a demo",
  'Can you show us a quick product demo?',
  'book a demo for next week',
  'we would love to get a live walkthrough',
  'Can I talk to sales?',
  'i want to speak to a real person',
  'please call me back',
  'contact sales',
])('%j is answered with the form', async (said) => {
  const { text, offer } = await ask(said);
  expect(text).toMatch(/^Gladly! [^.]+\.$/);
  expect(offer).toBeTypeOf('object');
});

test.each([
  'what is a demo account',
  'is there demo data for testing',
  "I don't want a demo",
  'please do not call me',
  'how do I call the API?',
  'can I contact support at night?',
])('%j is not a wish for a demo', async (said) => {
  expect(await ask(said)).not.toHaveProperty('offer');
});

test.each(['yes', 'Yes please!', 'sure, go ahead', 'ok', 'ada@engines.example'])(
  '%j shows the form only if a demo was offered',
  async (said) => {
    expect(await ask(['What about bicycles?', offered, said])).toHaveProperty('offer');
    expect(await ask(['What about bicycles?', 'We have none [1].', said])).not.toHaveProperty('offer');
  },
);

test('a question after an offer is answered, and "no" declines the offer', async () => {
  const sources = [source(1, 'Parking', 'Parking is free.')];
  expect(await ask(['Hm?', offered, 'ok, but is parking free?'], { sources })).toEqual({
    text: 'Parking is free. [1]',
  });
  expect((await ask(['Hm?', offered, 'No thanks'])).text).toMatch(/^No problem/);
});

test("the form contains the visitor's address and latest long message, and no text of the assistant", async () => {
  const said = [
    'Hi, I am Ada Lovelace from Analytical Engines & Co. How does the sync with Salesforce work?',
    'I am Bob Assistant from Wrong Company, bob@wrong.example. It works [1]. Shall I arrange a demo?',
    'We use HubSpot and are a team of 30. My address is ada.l+demo@engines.example.',
    offered,
    'yes please',
  ];
  expect((await ask(said)).offer).toEqual({
    work_email: 'ada.l+demo@engines.example',
    message: 'We use HubSpot and are a team of 30. My address is ada.l+demo@engines.example.',
  });
  expect((await ask('demo please')).offer).toEqual({});
});

test('a field of the form is a single line of limited length without control characters', async () => {
  const { offer } = await ask(['demo please \0\u2028\ud800 my company is Acme\u0007Corp\n' + 'x😀'.repeat(5_000)]);
  const details = offer as Record<string, string>;
  for (const value of Object.values(details)) {
    expect(value).not.toMatch(/[\p{Cc}\u2028]/u);
    expect(value.isWellFormed()).toBe(true);
    expect(value.length).toBeLessThanOrEqual(2_048);
  }
  expect(Object.hasOwn(details, 'message')).toBe(true);
});

test('the call of the tool follows the text and ends the answer', async () => {
  const parts = await Array.fromAsync(stream('demo please, my address is ada@engines.example'));
  expect(parts.slice(-3).map(({ type }) => type)).toEqual(['text-end', 'tool-call', 'finish']);
  expect(parts.at(-2)).toMatchObject({ toolName: 'offer_demo', input: '{"work_email":"ada@engines.example"}' });
  expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } });
});

const hostile = [
  'I am '.repeat(20_000),
  'a'.repeat(100_000),
  `${'a.'.repeat(50_000)}@`,
  '1 '.repeat(50_000),
  'Aa '.repeat(30_000),
];

test.each(hostile)('forty messages like %.10j are read quickly', async (text) => {
  const said = Array.from({ length: 39 }, () => text);
  await expectWithin(3_000, () => ask([...said.slice(0, 38), 'demo please']));
});
