import { useState } from 'react';
import { SelectField, TextField } from '../ui/controls/field.tsx';
import { daysFromNow, startOfDay } from '../ui/data/time.tsx';
import { textOf } from '../ui/controls/form.tsx';

const choices = [
  ['90', 'In 90 days'],
  ['30', 'In 30 days'],
  ['365', 'In 1 year'],
  ['', 'Never'],
  ['day', 'On a date…'],
] as const;

export function ExpiryField() {
  const [choice, setChoice] = useState<string>(choices[0][0]);
  const isDay = choice === 'day';
  return (
    <>
      <SelectField
        name="ends"
        label="Expires"
        options={choices}
        value={choice}
        onChange={(event) => setChoice(event.target.value)}
      />
      {isDay && (
        <TextField
          name="expires_at"
          label="Expiry date"
          type="date"
          hint="The key expires at the start of this day, in your time zone."
        />
      )}
    </>
  );
}

export function expiryOf(data: FormData): { expires_at: string | null } {
  const ends = textOf(data, 'ends');
  if (ends === 'day') return { expires_at: startOfDay(textOf(data, 'expires_at')) };
  return { expires_at: ends === '' ? null : daysFromNow(Number(ends)) };
}
