import { useState } from 'react';
import { SelectField, TextField } from '../ui/controls/field.tsx';
import { daysFromNow, startOfDay } from '../ui/data/time.tsx';

const choices = [
  ['90', 'in 90 days'],
  ['30', 'in 30 days'],
  ['365', 'in a year'],
  ['', 'never'],
  ['day', 'on a day'],
] as const;

/** When a key ends by itself. */
export function ExpiryField() {
  const [choice, setChoice] = useState<string>('90');
  const isDay = choice === 'day';
  return (
    <>
      <SelectField
        name={isDay ? 'ends' : 'expires_at'}
        label="Ends"
        options={choices}
        value={choice}
        onChange={(event) => setChoice(event.target.value)}
      />
      {isDay && <TextField name="expires_at" label="Day" type="date" hint="It ends as that day begins here." />}
    </>
  );
}

/** What the field says, as the API takes it. */
export function expiryOf(data: FormData): { expires_at: string | null } {
  const given = data.get('expires_at');
  if (typeof given !== 'string') return { expires_at: null };
  if (data.has('ends')) return { expires_at: startOfDay(given) };
  return { expires_at: given === '' ? null : daysFromNow(Number(given)) };
}
