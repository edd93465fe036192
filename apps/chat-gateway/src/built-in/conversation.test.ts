import { expect, test } from 'vitest';
import { ask, source } from './built-in.harness.ts';

const offered = 'I don’t know that. Shall I arrange a demo, so that somebody from our team can answer it?';
const sources = [
  source(1, 'Single sign-on', 'On the Business plan your people sign in over SAML.'),
  source(2, 'Pricing', 'The price is $39 per user.'),
];

test.each(['yes', 'Yes, please!', 'sure, please', 'ok', 'ja gerne', 'oui', 'sí', 'yes thanks', 'please do'])(
  '%j takes up a demo that was offered',
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
])('after the offer of a demo %j gets an answer of its own', async (said, kind) => {
  const { text, offer } = await ask(['What about bicycles?', offered, said], { sources });
  expect(text).toMatch(kind);
  expect(offer).toBeUndefined();
});

test.each([
  ['My name is Ada Lovelace', { name: 'Ada Lovelace' }],
  ['Ada Lovelace', { name: 'Ada Lovelace' }],
  ['ada@robotics.example', { work_email: 'ada@robotics.example' }],
  ['Robotics GmbH', { company: 'Robotics GmbH' }],
  ['we use HubSpot', { crm: 'HubSpot' }],
  ['we are 50', { team_size: '50' }],
])('details that follow the form fill it in: %j', async (said, details) => {
  const shown = (await ask('I want a demo')).text;
  const { text, offer } = await ask(['I want a demo', shown, said], { sources: [] });
  expect(offer).toEqual(details);
  expect(text).toMatch(/^Thank you\./);
});

test('details that follow one after the other stay in the form', async () => {
  const shown = (await ask('demo please')).text;
  const said = ['demo please', shown, 'Ada Lovelace', shown, 'Robotics GmbH', shown, 'ada@robotics.example'];
  expect((await ask(said)).offer).toEqual({
    name: 'Ada Lovelace',
    company: 'Robotics GmbH',
    work_email: 'ada@robotics.example',
  });
});

test.each(['What is the price?', 'Single Sign On', 'thanks'])(
  '%j after the form is not taken for a detail',
  async (said) => {
    const shown = (await ask('demo please')).text;
    expect(await ask(['demo please', shown, said], { sources })).not.toHaveProperty('offer');
  },
);

test.each([
  ['What does it cost? / and for 50 people? / demo please', {}],
  ['what do 30 users cost us? / demo please', { team_size: '30' }],
  ["I'm Ada Lovelace from Berlin. / demo please", { name: 'Ada Lovelace' }],
  ["I'm Ada Lovelace from New York. / demo please", { name: 'Ada Lovelace' }],
  ['we are 30 people and use HubSpot. / demo please', { team_size: '30', crm: 'HubSpot' }],
])('from %j the form takes %j', async (said, expected) => {
  const turns = said.split(' / ').flatMap((text, i) => (i === 0 ? [text] : ['It is so. [1]', text]));
  const { message: _message, ...details } = (await ask(turns)).offer as Record<string, string>;
  expect(details).toEqual(expected);
});

test.each([
  'Ich möchte eine Demo',
  'Können wir bitte eine Vorführung vereinbaren?',
  'Je voudrais une démo',
  'Quiero una demostración',
  'Vorrei una demo',
  'Ik wil graag een demo',
  'Gostaria de agendar uma demonstração',
])('%j is a wish for a demo', async (said) => {
  expect(await ask(said)).toHaveProperty('offer');
});

test.each(['Ich möchte keine Demo', 'geen demo graag', 'Je ne veux pas de démo'])(
  '%j is not a wish for a demo',
  async (said) => {
    expect(await ask(said)).not.toHaveProperty('offer');
  },
);

test.each([
  ['Wie viel kostet das?', /bitte fragen Sie auf Englisch/],
  ['Combien ça coûte pour nous ?', /posez votre question/],
  ['¿Cuánto cuesta para nosotros?', /haga su pregunta/],
  ['Quanto costa per noi?', /faccia la sua domanda/],
  ['Hoeveel kost het voor ons?', /stel uw vraag/],
  ['Quanto custa para nós?', /faça a sua pergunta/],
])('a visitor who asks %j and finds nothing is asked in that language to use English', async (said, sentence) => {
  const { text } = await ask(said);
  expect(text).toMatch(/^I can answer in English\. /);
  expect(text).toMatch(sentence);
});

test.each(['What is the weather in Paris?', 'do you sell bicycles', 'who is your dentist', 'is it for me'])(
  '%j is English',
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

test('an answer shows only the row of a table that the question names', async () => {
  const table = source(
    1,
    'Storage',
    '| Plan | Storage |\n| - | - |\n| Starter | 5 GB |\n| Team | 50 GB |\n| Business | 500 GB |',
  );
  const { text } = await ask('How much storage is in the Team plan?', { sources: [table] });
  expect(text).toContain('| Plan | Storage |\n| --- | --- |\n| Team | 50 GB |');
  expect(text).not.toContain('Starter');
});

test.each([
  'What does the Team plan cost?',
  'What is the cheapest plan for a team of 5?',
  'Which plan is the best price for a team?',
])('a table of prices is shown whole, whichever of its rows %j names', async (question) => {
  const rows = [
    ['Free', '$0'],
    ['Starter', '$19 per user'],
    ['Team', '$39 per user'],
    ['Business', '$69 per user'],
    ['Industry', '$89 per user'],
    ['Group', '$99 per user'],
    ['Enterprise', 'on request'],
  ].map((cells) => `| ${cells.join(' | ')} |`);
  const pricing = source(1, 'Pricing', `| Plan | Price |\n| - | - |\n${rows.join('\n')}`);
  const { text } = await ask(question, { sources: [pricing] });
  expect(text).toContain(['| Plan | Price |', '| --- | --- |', ...rows].join('\n'));
});

test('emphasized text is not cut', async () => {
  const page = source(1, 'Passwords', `Press _Forgot password? Help!_ on the page. ${'It takes a while. '.repeat(30)}`);
  expect((await ask('forgot password', { sources: [page] })).text).toContain('_Forgot password? Help!_');
});
