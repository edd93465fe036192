import { Id } from '../controls/copy.tsx';
import { Facts } from './facts.tsx';
import { At } from './time.tsx';

/** The fields of a record that have a value. */
export function RecordFields({ record }: { record: Readonly<Record<string, unknown>> }) {
  const fields = Object.entries(record).filter(([, value]) => value !== null && value !== '');
  return (
    <Facts facts={fields.map(([field, value]) => [nameOf(field), <Value key={field} field={field} value={value} />])} />
  );
}

/** Returns the name of a field in words: `account_name` becomes “Account name”. */
const nameOf = (field: string) => `${field[0]!.toUpperCase()}${field.slice(1).replaceAll('_', ' ')}`;

function Value({ field, value }: { field: string; value: unknown }) {
  if (/(^|_)id$/.test(field) && typeof value === 'string') return <Id id={value} chars={36} />;
  if (field.endsWith('_at') && typeof value === 'string') return <At time={value} />;
  return <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>;
}
