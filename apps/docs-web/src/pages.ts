import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A page before it is rendered. */
export interface Page {
  /** Path at which it is served: `/docs/senders/stripe`. Its Markdown is at the same path with `.md`. */
  path: string;
  /** Section of the navigation; undefined if only other pages link to it. */
  section?: Section | undefined;
  title: string;
  /** A sentence that says what the page is about. */
  summary: string;
  markdown: string;
  /** File in the repository; undefined if it was made from the operations. */
  file?: string | undefined;
}

export const sections = ['Guides', 'Reference', 'Senders', 'Operations', 'Project'] as const;
export type Section = (typeof sections)[number];

/** Pages of the repository in the order of the navigation, with their served paths below `/docs/`. */
const listed: Record<Exclude<Section, 'Reference'>, Record<string, string>> = {
  Guides: {
    'docs/api.md': 'api',
    'docs/guarantees.md': 'guarantees',
    'docs/webhooks.md': 'webhooks',
    'docs/senders.md': 'senders',
    'docs/workflows.md': 'workflows',
    'docs/chat.md': 'chat',
    'docs/console.md': 'console',
  },
  Senders: {},
  Operations: {
    'infra/images/README.md': 'containers',
    'infra/kubernetes/README.md': 'kubernetes',
    'infra/prometheus/README.md': 'prometheus',
    'docs/configuration.md': 'configuration',
    'docs/operations.md': 'operations',
    'docs/scaling.md': 'scaling',
    'docs/alerts.md': 'alerts',
    'docs/reliability.md': 'reliability',
    'docs/neighbours.md': 'neighbours',
    'docs/benchmarks.md': 'benchmarks',
  },
  Project: {
    'docs/deprecations.md': 'deprecations',
    'CHANGELOG.md': 'changelog',
    'docs/decisions/README.md': 'decisions',
  },
};

/** Patterns of all files that pages are made from. */
export const pageFiles = [
  ...Object.values(listed).flatMap((files) => Object.keys(files)),
  'docs/senders/*.md',
  'docs/decisions/*.md',
];

/** Reads all pages of the repository that are served. */
export async function readPages(root: string): Promise<Page[]> {
  const senders = (await Array.fromAsync(glob('docs/senders/*.md', { cwd: root }))).toSorted();
  const decisions = (await Array.fromAsync(glob('docs/decisions/[0-9]*.md', { cwd: root }))).toSorted();
  const read = async (file: string, name: string, section?: Section): Promise<Page> => {
    const markdown = await readFile(join(root, file), 'utf8');
    const [, title = name] = /^# (.*)$/m.exec(markdown) ?? [];
    const summary = section === 'Senders' ? senderSummary(plain(title)) : firstSentence(markdown);
    return { path: `/docs/${name}`, section, title: plain(title), summary, markdown, file };
  };
  const below = (file: string) => file.replace(/^docs\//, '').replace(/\.md$/, '');
  return Promise.all([
    ...Object.entries(listed).flatMap(([section, files]) =>
      Object.entries(files).map(([file, name]) => read(file, name, section as Section)),
    ),
    ...senders.map((file) => read(file, below(file), 'Senders')),
    ...decisions.map((file) => read(file, below(file))),
  ]);
}

/** Returns the text of a line of Markdown without marks of code and emphasis. */
export const plain = (text: string) =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`/g, '')
    .trim();

/** Returns the first sentence of a page. */
function firstSentence(markdown: string): string {
  const blocks = markdown.replaceAll(/<!--[^]*?-->|^```[^]*?^```/gm, '').split(/\n{2,}/);
  const first = plain((blocks.find((block) => /^[A-Z[`*]/.test(block)) ?? '').replaceAll(/\s+/g, ' '));
  const [sentence = first] = /^.*?\.(?=\s|$)/.exec(first) ?? [];
  return sentence.replace(/:$/, '.');
}

const senderSummary = (title: string) =>
  `How to receive webhooks of ${title}: the set-up, the signature, and a workflow.`;
