import { type Page, sections } from './pages.ts';

const introduction = `# Relata

> A self-hosted sales CRM service: a REST API for records, a webhook receiver that starts workflows, a chatbot for websites, and a web console.

Each page is also served as HTML, without \`.md\`. The API is described by [openapi.json](/openapi.json).
`;

/** Returns the pages of the navigation for language models, in the format of llmstxt.org: one line per page. */
export function llmsText(pages: readonly Page[]): string {
  const lists = sections.map((section) => {
    // In this format, `Optional` contains pages that a model may skip.
    const heading = section === 'Project' ? 'Optional' : section;
    const lines = pages
      .filter((page) => page.section === section)
      .map((page) => `- [${page.title}](${page.path}.md): ${page.summary}`);
    return `## ${heading}\n\n${lines.join('\n')}\n`;
  });
  return [introduction, ...lists].join('\n');
}
