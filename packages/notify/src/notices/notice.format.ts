import type { Form } from '@relata/channel';
import { onOneLine } from '@relata/channel';
import type { Db } from '@relata/db';
import { kinds } from '../kinds/kinds.ts';
import { total } from '../kinds/notice-kind.ts';
import type { TakenNotice } from './claim.sql.ts';

export interface Reader {
  orgId: string;
  organization: string;
  /** Origin of the console; undefined if it is not known. */
  consoleUrl: string | undefined;
}

/** Maximum number of causes that one message lists. */
const namedMax = 10;

/** Maximum length of a cause in a message about many causes, in characters. */
const lineCharsMax = 200;

/** Returns a notice as a form. For a kind that this release does not know, the form has only the counts. */
export async function noticeForm(db: Db, reader: Reader, notice: TakenNotice): Promise<Form> {
  const { organization } = reader;
  const text = await kinds[notice.kind]?.describe(db, reader.orgId, notice);
  if (!text) return manyForm(db, reader, [notice]);
  const { title, fields, note, whole, page } = text;
  return { title, fields: [...from(organization), ...fields, ...linkTo(reader, page)], note, whole };
}

/** Returns many notices as one message: their sums, and the most frequent causes. */
export async function manyForm(db: Db, reader: Reader, notices: readonly TakenNotice[]): Promise<Form> {
  const byKind = [...Map.groupBy(notices, ({ kind }) => kind)].map(([kind, all]) => ({
    label: capitalized(kinds[kind]?.counted ?? 'others'),
    value: `${sumOf(all)}, ${all.length === 1 ? '1 cause' : `${all.length} causes`}`,
  }));
  const named = notices.toSorted((a, b) => total(b) - total(a)).slice(0, namedMax);
  const lines = await Promise.all(named.map((notice) => lineOf(db, reader, notice)));
  return {
    title: 'Many problems at once',
    fields: [...from(reader.organization), ...byKind, ...linkTo(reader, '/problems')],
    note: { label: 'Most frequent', text: lines.join('\n') },
    whole: `relata problems list --org ${reader.orgId}`,
  };
}

/** Returns all fields of a cause on one line, cut to `lineCharsMax`. */
async function lineOf(db: Db, { orgId }: Reader, notice: TakenNotice): Promise<string> {
  const text = await kinds[notice.kind]?.describe(db, orgId, notice);
  const fields = text?.fields ?? [{ label: notice.kind, value: String(total(notice)) }];
  const shown = fields.map(({ label, value }) => `${label}: ${onOneLine(value)}`).join(', ');
  return shown.length > lineCharsMax ? `${shown.slice(0, lineCharsMax)}…` : shown;
}

const sumOf = (notices: readonly TakenNotice[]) => notices.reduce((sum, notice) => sum + total(notice), 0);

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const from = (organization: string) => [{ label: 'Organization', value: organization }];

function linkTo({ consoleUrl, orgId }: Reader, page: string | undefined) {
  return consoleUrl && page ? [{ label: 'Console', value: `${consoleUrl}/console/o/${orgId}${page}` }] : [];
}
