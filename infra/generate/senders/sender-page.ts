import { readFileSync } from 'node:fs';
import { describeKind, type SetupStep, type SignatureKindName, signatureKinds } from '@relata/signatures';
import { type MoreWorkflow, type Recipe, recipes } from '../../../examples/senders/recipes.ts';
import { timeText } from './kinds-table.ts';
import { alignTable, wrapText } from './markdown.ts';

const folder = new URL('../../../examples/senders/', import.meta.url);

/** Returns the pages of all senders, by path. Each has the set-up and the recipe of the sender. */
export function senderPages(): Record<string, string> {
  const pages = Map.groupBy(signatureKinds, (name) => recipes[name].file);
  return Object.fromEntries([...pages].map(([file, names]) => [`docs/senders/${file}.md`, pageText(names)]));
}

function pageText(names: readonly SignatureKindName[]): string {
  const [first] = names;
  const isShared = names.length > 1;
  const parts = [
    `# ${isShared ? 'Senders that repeat a secret' : describeKind(first!).maker}`,
    '<!-- Made from packages/signatures/src/kinds and examples/senders: npm run generate -->',
    ...warningParts(names),
    ...names.flatMap((name) => setUpParts(name, isShared ? describeKind(name).maker : 'Set up')),
    '## Repeats',
    wrapText(repeatText(first!, isShared)),
    ...recipeParts(recipes[first!], describeKind(first!).proof === 'secret'),
    ...moreParts(recipes[first!].more),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Returns the warnings of all kinds of a page, each sentence once. */
function warningParts(names: readonly SignatureKindName[]): string[] {
  const sentences = new Set(names.flatMap((name) => describeKind(name).warning?.split(/(?<=\.) /) ?? []));
  return sentences.size > 0 ? [wrapText([...sentences].join(' '))] : [];
}

const code = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

function setUpParts(name: SignatureKindName, title: string): string[] {
  const { setup, page, maker, challenge } = describeKind(name);
  const steps = setup.map((step, at) => wrapText(`${at + 1}. ${stepText(step, name)}`, '   '));
  const secretAt = setup.findIndex(({ shows }) => shows === 'sender_secret') + 1;
  return [
    `## ${title}`,
    ...(isGiven(name) ? [`Copy the secret of step ${secretAt} into \`secret.txt\`, and create the trigger:`] : []),
    code('', createCommand(name)),
    ...optionParts(name),
    steps.join('\n'),
    ...(challenge ? [wrapText(challengeText(maker, challenge.by))] : []),
    `Reference: <${page}>`,
  ];
}

/** Returns the table of a kind's options. Returns nothing if the operator need not configure how the sender signs. */
function optionParts(name: SignatureKindName): string[] {
  const { proof, optionTexts } = describeKind(name);
  if (proof === 'secret' || !optionTexts) return [];
  const rows = Object.entries(optionTexts).map(([option, { value, text }]) => [`\`${flagOf(option)} ${value}\``, text]);
  return [alignTable(['Option', 'Meaning'], rows).join('\n')];
}

const flagOf = (option: string) => `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Returns true if the sender shows its secret before it has the URL. */
function isGiven(name: SignatureKindName): boolean {
  const { secret, setup } = describeKind(name);
  const at = (shows: SetupStep['shows']) => setup.findIndex((step) => step.shows === shows);
  return !secret.isOurs && at('sender_secret') < at('url');
}

function createCommand(name: SignatureKindName): string {
  const { name: triggerName, options, repeatKey } = recipes[name];
  const { isOurs } = describeKind(name).secret;
  const secret = isOurs ? '' : isGiven(name) ? '--secret-file secret.txt' : '--secret-follows';
  const repeat = repeatKey === undefined ? '' : `--repeat-key ${quoted(repeatKey)}`;
  const given = [options, repeat, secret].filter((text) => text).map((text) => ` ${text}`);
  return `npx relata triggers create --org ORG_ID --name ${triggerName} --signature ${name}${given.join('')}`;
}

const shown = {
  url: 'the URL of the trigger.',
  secret: 'the secret that was shown.',
  verify_token: 'the verify token that was shown.',
};

function stepText({ text, shows, value, option }: SetupStep, name: SignatureKindName): string {
  const said = text.replace(/:$/, '');
  if (shows === 'option') return `${said}: the value of \`${flagOf(option!)}\`.`;
  if (shows === 'sender_secret')
    return isGiven(name)
      ? text
      : `${text} ${text.endsWith(':') ? 'copy' : 'Copy'} it into \`secret.txt\`, then run \`npx relata triggers rotate TRIGGER_ID --secret-file secret.txt\`.`;
  if (shows) return `${said}: ${shown[shows]}`;
  return value === undefined ? text : `${said}: \`${value}\`.`;
}

const challenged = { get: 'with the verify token', head: 'with a HEAD request', post: 'with a signed challenge' };

function challengeText(maker: string, by: keyof typeof challenged): string {
  return `${maker} checks the URL ${challenged[by]}. Relata answers the check and stores nothing.`;
}

function repeatText(name: SignatureKindName, isShared: boolean): string {
  const { repeatKey, proof } = describeKind(name);
  const own = recipes[name].repeatKey;
  const key = repeatKey ?? own;
  const byKey = key === undefined ? [] : [`Posts with the same value of \`${key}\` count as one delivery.`];
  const isOwn = repeatKey === null && own !== undefined;
  const which = isShared ? 'Each command above' : 'The command above';
  const why = isOwn ? [`${which} sets this repeat key, because this kind of sender has no default.`] : [];
  const condition = {
    none: 'The signature has no timestamp, so',
    [timeText('hmac')]: 'If no timestamp is signed,',
  }[timeText(name)];
  const bytes =
    proof === 'signature' && condition
      ? [`${condition} a post with the same bytes within 7 days is ${key ? 'also ' : ''}a repeat.`]
      : [];
  const byId = name === 'hmac' ? ['If the id is signed, the id must be the same, too.'] : [];
  return [...byKey, ...why, ...bytes, ...byId].join(' ');
}

function recipeParts(recipe: Recipe, isRepeated: boolean): string[] {
  const { definition, commands } = assigned(recipe);
  const tested = `npx relata triggers test TRIGGER_ID${isRepeated ? ' --secret SECRET' : ''}`;
  return partsOf(recipe, [...commands, tested], definition);
}

function moreParts(more: MoreWorkflow | undefined): string[] {
  if (more === undefined) return [];
  const { definition, commands } = assigned(more);
  return partsOf(more, [more.before, ...commands], definition);
}

const partsOf = ({ title, text }: Pick<Recipe, 'title' | 'text'>, commands: readonly string[], definition: string) => [
  `## ${title}`,
  wrapText(text),
  code('', commands.join('\n')),
  code('json', definition),
];

/** Returns a workflow, and the commands that apply it and assign it to the trigger. */
function assigned({ file, inputs, filter }: Pick<Recipe, 'file' | 'inputs' | 'filter'>) {
  const definition = readFileSync(new URL(`${file}.json`, folder), 'utf8').trim();
  const { name } = JSON.parse(definition) as { name: string };
  const mapping = Object.entries(inputs).map(([input, from]) => ` --input ${input}=${from}`);
  const filtering = filter === undefined ? '' : ` --filter ${quoted(filter)}`;
  const commands = [
    `npx relata workflows apply examples/senders/${file}.json --org ORG_ID`,
    `npx relata triggers assign TRIGGER_ID ${name}${mapping.join('')}${filtering}`,
  ];
  return { definition, commands };
}

/** Quotes a value for a shell. */
const quoted = (value: string) => (/^[\w.]+$/.test(value) ? value : `'${value}'`);
