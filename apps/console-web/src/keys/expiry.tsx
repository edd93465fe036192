import { useState } from 'react';
import { SelectField, TextField } from '../ui/controls/field.tsx';
import { textOf } from '../ui/controls/form-data.ts';
import { daysFromNow, startOfDay } from '../ui/data/time.tsx';

const choices = [
  ['90', 'in 90 days'],
  ['30', 'in 30 days'],
  ['365', 'in a year'],
  ['', 'never'],
  ['day', 'on a day'],
] as const;

const firstChoice = '90';

/** When a key ends unless something else is chosen. */
export const firstExpiry = () => daysFromNow(Number(firstChoice));

/** When a key ends by itself. */
export function ExpiryField() {
  const [choice, setChoice] = useState<string>(firstChoice);
  const isDay = choice === 'day';
  return (
    <>
      <SelectField
        name="ends"
        label="Ends"
        options={choices}
        value={choice}
        onChange={(event) => setChoice(event.target.value)}
      />
      {isDay && <TextField name="expires_at" label="Day" type="date" hint="It ends as that day begins here." />}
    </>
  );
}

/** Returns the expiry from the fields, as the API takes it. */
export function expiryOf(data: FormData): { expires_at: string | null } {
  const ends = textOf(data, 'ends');
  if (ends === 'day') return { expires_at: startOfDay(textOf(data, 'expires_at')) };
  return { expires_at: ends === '' ? null : daysFromNow(Number(ends)) };
}
