export { sourcesInSlices } from './follow-up.ts';
export { readFrontMatter } from './pages/front-matter.ts';
export { type Knowledge, openKnowledge } from './knowledge.ts';
export { type PageFile, readPageFiles } from './pages/page-files.ts';
export { readPage } from './pages/page.ts';
export type { Source } from './search/sources.ts';
