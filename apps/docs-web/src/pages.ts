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
  /** File in the repository; undefined for the first page and for pages made from the operations. */
  file?: string | undefined;
}

export const sections = ['Guides', 'Reference', 'Senders', 'Operations', 'Project'] as const;
export type Section = (typeof sections)[number];

/** Summaries of the pages of the repository, in the order of the navigation. */
const listed: Record<Exclude<Section, 'Reference'>, Record<string, string>> = {
  Guides: {
    'docs/api.md': 'How to use the API: errors, limits, versions, retries, upserts, batches and events.',
    'docs/lists.md': 'Recipes to find records: filters, sorting, search, paging, totals, related records and sums.',
    'docs/guarantees.md': 'What clients can rely on: lengths, edge cases, order of checks, shared capacity.',
    'docs/pipelines.md': 'How to set up pipelines, stages and users with an API key.',
    'docs/delete-restore-merge.md':
      'How to delete records, find them in the trash, restore them, merge duplicates and undo that.',
    'docs/forget-a-person.md':
      'How to erase a person for good: find all records, erase them, and prove that nothing is left.',
    'docs/webhooks.md': 'How to send events to Relata: the URL, authentication, responses, retries and limits.',
    'docs/senders.md': 'How to receive signed webhooks of GitHub, Stripe, Slack and other systems.',
    'docs/workflows.md': 'How to write workflows: inputs, steps, expressions, retries, versions and runs.',
    'docs/chat.md': 'How to set up the chat for visitors of a site, and the pages that it answers from.',
    'docs/console.md': 'How to use the web console: signing in, roles and permissions, and what each page does.',
  },
  Senders: {},
  Operations: {
    'infra/images/README.md': 'How to build the image and run Relata with Compose.',
    'infra/kubernetes/README.md': 'How to run Relata on Kubernetes, in three sizes.',
    'infra/prometheus/README.md': 'How to set up the alerts of Prometheus and the dashboards of Grafana.',
    'docs/configuration.md': 'Every setting of every app, with its default.',
    'docs/operations.md': 'How to run an installation: backups, restores, upgrades, and the servers it needs.',
    'docs/scaling.md': 'How many processes and how much PostgreSQL a load needs.',
    'docs/alerts.md': 'How to monitor an installation: `relata doctor`, metrics, and what to do about each alert.',
    'docs/reliability.md': 'What Relata promises while processes, PostgreSQL and NATS fail.',
    'docs/neighbours.md': 'How Relata keeps organizations from slowing each other down, with measurements.',
    'docs/benchmarks.md': 'Throughput and latency, compared with minimal code for the same tasks.',
  },
  Project: {
    'docs/deprecations.md': 'Announced changes that will break clients, with their dates.',
    'CHANGELOG.md': 'Changes of each version, and what operators must do to upgrade.',
    'docs/decisions/README.md': 'Why Relata is built as it is: one page per decision.',
  },
};

/** Names of pages that differ from the path of their file below `docs`. */
const names: Readonly<Record<string, string>> = {
  'infra/images/README.md': 'containers',
  'infra/kubernetes/README.md': 'kubernetes',
  'infra/prometheus/README.md': 'prometheus',
  'CHANGELOG.md': 'changelog',
  'docs/decisions/README.md': 'decisions',
};

/** Patterns of all files from which pages are made. */
export const pageFiles = [
  ...Object.values(listed).flatMap((files) => Object.keys(files)),
  'docs/senders/*.md',
  'docs/decisions/*.md',
];

/** Reads all served pages from the repository. */
export async function readPages(root: string): Promise<Page[]> {
  const senders = (await Array.fromAsync(glob('docs/senders/*.md', { cwd: root }))).toSorted();
  const decisions = (await Array.fromAsync(glob('docs/decisions/[0-9]*.md', { cwd: root }))).toSorted();
  const read = async (file: string, section?: Section, summary?: string): Promise<Page> => {
    const name = names[file] ?? file.replace(/^docs\//, '').replace(/\.md$/, '');
    const markdown = await readFile(join(root, file), 'utf8');
    const [, title = name] = /^# (.*)$/m.exec(markdown) ?? [];
    return { path: `/docs/${name}`, section, title: plain(title), summary: summary ?? plain(title), markdown, file };
  };
  return Promise.all([
    ...Object.entries(listed).flatMap(([section, files]) =>
      Object.entries(files).map(([file, summary]) => read(file, section as Section, summary)),
    ),
    ...senders.map((file) => read(file, 'Senders', senderSummary)),
    ...decisions.map((file) => read(file)),
  ]);
}

/** Returns the text of Markdown, without the marks of links, code and bold text. */
export const plain = (text: string) =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`/g, '')
    .trim();

const senderSummary = 'Set-up, signature, and an example workflow.';
