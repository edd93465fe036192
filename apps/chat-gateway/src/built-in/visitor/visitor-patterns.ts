import { relatedTo, termsOf } from '@relata/knowledge';

const email = /[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}\b/i;

/** Characters before and after an @ that may belong to an address. */
const emailBefore = 64;
const emailAfter = 256;

const word = String.raw`\p{Lu}\p{Ll}[\p{L}'’-]{0,40}`;
const fullName = String.raw`${word}(?: (?:\p{Lu}\.|van|von|der|den|de|la|le|da|di|bin|al|el|${word})){0,3} ${word}`;
const companyWord = String.raw`[\p{Lu}\p{N}][\p{L}\p{N}&'’+-]{0,60}(?:\.[\p{L}\p{N}]{1,20}){0,3}`;
const companyName = `${companyWord}(?: (?:& )?${companyWord}){0,4}`;

const iAm = String.raw`(?:\b[Mm]y name is|\b[Mm]y name['’]s|\bI am|\bI['’]?m|\bi am|\bi['’]?m|\b[Tt]his is|\b[Nn]ame:)`;

const names = [
  new RegExp(`${iAm} (${fullName})(?![\\p{L}])`, 'u'),
  new RegExp(`${iAm} (${word})(?= (?:from|at|with|of) [\\p{Lu}\\p{N}])`, 'u'),
  new RegExp(String.raw`\b[Mm]y name(?: is|['’]s) (${word})(?![\p{L}])`, 'u'),
];

/** Words that begin with a capital after "I am" and are no names. */
const noName =
  /\b(?:manager|director|head|chief|owner|founder|engineer|lead|leader|sales|account|marketing|vice|president|developer|student|interested|looking|from|sure|operations|executive|officer|consultant|assistant)\b/i;

const companies = [
  new RegExp(`${iAm} [\\p{L}'’. -]{2,80}? (?:at|with|of) (${companyName})`, 'u'),
  new RegExp(`${iAm} [\\p{L}'’. -]{2,80}? from (${companyWord}(?: (?:& )?${companyWord}){1,4})`, 'u'),
  new RegExp(String.raw`\b[Ww]ork(?:ing)? (?:at|for|with) (${companyName})`, 'u'),
  new RegExp(String.raw`\b[Cc]ompany(?: name)?(?: is|['’]s|:)(?: called)? (${companyName})`, 'u'),
  new RegExp(String.raw`\b[Ww]e(?: are|['’]re) (?:at|from) (${companyName})`, 'u'),
];

/** A message that is a name, or one of a company, and nothing else. */
const onlyName = new RegExp(`^(${fullName})[.!]?$`, 'u');
const onlyCompany = new RegExp(
  String.raw`^(?:[Ww]e are |[Ff]rom |[Cc]ompany )?(${companyName},? (?:GmbH|AG|KG|SE|UG|Inc|Ltd|LLC|LLP|Corp|Co|plc|PLC|BV|NV|SA|SAS|SARL|SpA|Srl|AB|Oy|AS|ApS|Lda|B\.V|N\.V|S\.A|S\.p\.A)\.?)$`,
  'u',
);

/** Longer messages tell more than a name. */
export const detailMax = 120;

const places = new Set([...regionNames(), ...cityNames()]);

const people = String.raw`(?:people|persons|users|employees|seats|colleagues|reps|staff|licen[cs]es|salespeople|sales ?(?:people|reps|persons)|team members|of us)`;
const count = String.raw`\d{1,3}(?:[.,]\d{3}){1,2}|\d{1,6}(?: ?[-–] ?\d{1,6})?`;

const teamSizes = [
  new RegExp(String.raw`(?<![\p{L}\p{N}.,$€£])(${count}) ?\+? (?:\p{L}+ )?${people}\b`, 'iu'),
  new RegExp(String.raw`\bteam of (?:about |around |roughly |some )?(${count})(?![\p{N}%])`, 'iu'),
  new RegExp(
    String.raw`\bwe(?:['’]re| are) (?:about |around |roughly |some |only |just )?(${count})(?![\p{N}%.,])(?= *(?:$|[.,;!?]|and\b))`,
    'iu',
  ),
  new RegExp(String.raw`\bteam size(?: is|:)? (${count})(?![\p{N}%])`, 'iu'),
];

const crmNames =
  'HubSpot|Salesforce|Pipedrive|Zoho CRM|Zoho|Microsoft Dynamics|Dynamics 365|Dynamics|SugarCRM|Sugar|SuiteCRM|Freshsales|Insightly|Copper|Close|Attio|Nutshell|Odoo|Zendesk Sell|monday|Excel|spreadsheets|Google Sheets'.split(
    '|',
  );

const crmUse = new RegExp(
  String.raw`\b(?:we|i|and|also|currently)(?:['’](?:re|m|ve)| are| am| have)?(?: (?:currently|now|still|all|already|just|mostly|only))* (?:use|using|have|on|run|running|work with|working with|moving from|coming from|switching from|migrating from) (${crmNames.join('|')})\b`,
  'i',
);
const crmIs = new RegExp(
  String.raw`\bcrm(?: is|:) (${crmNames.join('|')})\b|\b(${crmNames.join('|')}) (?:as|for) (?:our|my|a|the) crm\b`,
  'i',
);

/** Words that people ask about are nobody's name: "Free Trial". */
export function onlyNameIn(text: string): string | undefined {
  const name = text.length > detailMax ? undefined : onlyName.exec(text.trim())?.[1];
  if (name === undefined || noName.test(name) || onlyCompanyIn(text) !== undefined) return undefined;
  return termsOf(name).some((term) => [...relatedTo(term)].length > 0) ? undefined : name;
}

export function onlyCompanyIn(text: string): string | undefined {
  return text.length > detailMax ? undefined : onlyCompany.exec(text.trim())?.[1];
}

/** A question "and for 50 people?" tells nothing about the visitor's own team. */
export function teamSizeIn(text: string): string | undefined {
  const isAboutOthers = text.includes('?') && !/\b(?:we|our|us|my|team of)\b/i.test(text);
  return isAboutOthers ? undefined : group(teamSizes, text);
}

function group(patterns: readonly RegExp[], text: string): string | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.slice(1).find(Boolean);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Looks around the first @ alone: a text without one is not searched letter by letter. */
export function emailIn(text: string): string | undefined {
  const at = text.indexOf('@');
  return at < 0 ? undefined : email.exec(text.slice(Math.max(0, at - emailBefore), at + emailAfter))?.[0];
}

export function nameIn(text: string): string | undefined {
  const name = group(names, text);
  return name === undefined || noName.test(name) ? undefined : name;
}

/** "I'm Ada from France" names no company. */
export function companyIn(text: string): string | undefined {
  const company = group(companies, text)?.replace(/[.,'’-]+$/, '');
  return company === undefined || places.has(company.toLowerCase()) ? undefined : company;
}

export function crmIn(text: string): string | undefined {
  const said = group([crmUse, crmIs], text)?.toLowerCase();
  return crmNames.find((name) => name.toLowerCase() === said);
}

function regionNames(): string[] {
  const display = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes.flatMap((code) => display.of(code)?.toLowerCase() ?? []);
}

function cityNames(): string[] {
  return Intl.supportedValuesOf('timeZone').map((zone) => zone.split('/').at(-1)!.replaceAll('_', ' ').toLowerCase());
}
