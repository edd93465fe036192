import { type Page, sections } from './pages.ts';

const introductions: Partial<Record<(typeof sections)[number], string>> = {
  Guides: 'How to use Relata.',
  Reference: 'Every operation of the API, with samples and a form to try it.',
  Senders: 'How to set up webhooks of other systems.',
  Operations: 'How to run Relata in production.',
};

/** Returns the first page, which lists all pages of the navigation. */
export function homePage(pages: readonly Page[]): Page {
  const lists = sections.map((section) => {
    const own = pages.filter((page) => page.section === section);
    const lines = own.map((page) => `- [${page.title}](${page.path}): ${page.summary}`);
    return [`## ${section}`, introductions[section] ?? '', lines.join('\n')].join('\n\n');
  });
  const markdown = `# Relata documentation\n\nThis is the documentation of the running version. [llms.txt](/llms.txt) lists its pages for language models.\n\n${lists.join('\n\n')}\n`;
  return { path: '/docs', title: 'Relata documentation', summary: 'All pages.', markdown };
}

/** The page for unknown addresses. It has the path of the first page, so that the link to its Markdown leads there. */
export const unknownPage: Page = {
  path: '/docs',
  title: 'Page not found',
  summary: '',
  markdown: '# Page not found\n\nThere is no such page. Search above, or see [all pages](/docs).\n',
};
