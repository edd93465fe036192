import { Id } from '../controls/copy.tsx';
import { DescriptionList } from './description-list.tsx';
import { DateTime } from './time.tsx';

/** The fields of a record that have a value. */
export function RecordFields({ record }: { record: Readonly<Record<string, unknown>> }) {
  const fields = Object.entries(record).filter(([, value]) => !isEmpty(value));
  return (
    <DescriptionList
      facts={fields.map(([field, value]) => [nameOf(field), <Value key={field} field={field} value={value} />])}
    />
  );
}

export const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Returns the name of a field in words: `account_name` becomes “Account name”. */
function nameOf(field: string): string {
  const words = field
    .replaceAll('_', ' ')
    .replace(/\bid\b/, 'ID')
    .replace(/\bcrm\b/, 'CRM');
  return `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

function Value({ field, value }: { field: string; value: unknown }) {
  if (/(^|_)id$/.test(field) && typeof value === 'string') return <Id id={value} chars={36} />;
  if (field.endsWith('_at') && typeof value === 'string') return <DateTime time={value} />;
  return <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>;
}
