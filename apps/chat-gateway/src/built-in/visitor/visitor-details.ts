import { wantsDemo } from './demo-wish.ts';
import { answerSmallTalk } from './small-talk.ts';
import {
  companyIn,
  crmIn,
  detailMax,
  emailIn,
  nameIn,
  onlyCompanyIn,
  onlyNameIn,
  teamSizeIn,
} from './visitor-patterns.ts';
import type { Turns } from './turns.ts';

/** What the demo form is filled in with. What the visitor has not surely said is absent. */
export interface VisitorDetails {
  name?: string;
  work_email?: string;
  company?: string;
  team_size?: string;
  crm?: string;
  message?: string;
}

const nameMax = 255;
const lineMax = 2_048;

/** Finds the details that a demo form asks for in all messages of a visitor; later ones win. */
export function detailsOf({ visitor }: Pick<Turns, 'visitor'>): VisitorDetails {
  const details = {
    name: clean(firstOf(visitor, nameIn) ?? firstOf(sinceWish(visitor), onlyNameIn), nameMax),
    work_email: clean(firstOf(visitor, emailIn), lineMax),
    company: clean(firstOf(visitor, companyIn) ?? firstOf(sinceWish(visitor), onlyCompanyIn), lineMax),
    team_size: clean(firstOf(visitor, teamSizeIn), lineMax),
    crm: clean(firstOf(visitor, crmIn), lineMax),
    message: clean(visitor.find(isTelling), lineMax),
  };
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}

/** Returns true if a message gives details that the form asks for, and is not a question. */
export function saysDetails(text: string): boolean {
  if (text.length > detailMax || text.includes('?')) return false;
  const reads = [nameIn, onlyNameIn, emailIn, companyIn, onlyCompanyIn, teamSizeIn, crmIn];
  return reads.some((read) => read(text.trim()) !== undefined);
}

/** What was said after the first wish for a demo, the latest first. */
function sinceWish(visitor: readonly string[]): readonly string[] {
  const wish = visitor.findLastIndex((question) => wantsDemo({ question, answered: '' }));
  return wish < 0 ? visitor.slice(0, 1) : visitor.slice(0, wish);
}

function firstOf(texts: readonly string[], read: (text: string) => string | undefined): string | undefined {
  for (const text of texts) {
    const found = read(text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a message says more than yes, hello, or that a demo would be welcome. */
function isTelling(text: string): boolean {
  return answerSmallTalk(text) === undefined && (text.length > 60 || (text.includes('?') && !/\bdemo\b/i.test(text)));
}

/** One line of text without control characters, cut between characters. */
function clean(text: string | undefined, lengthMax: number): string | undefined {
  const line = text?.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line ? line.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '') : undefined;
}
