import { SelectField, TextField } from '../ui/controls/field.tsx';

export const optionNames = ['header', 'algorithm', 'encoding', 'prefix', 'template', 'timestamp_header'] as const;

const same = (...values: string[]) => values.map((value) => [value, value] as const);

/** How a sender signs that is none of the known ones. */
export function SigningFields() {
  return (
    <>
      <TextField name="header" label="Header of the signature" placeholder="x-signature" />
      <SelectField name="algorithm" label="Algorithm" options={same('sha256', 'sha512', 'sha1')} />
      <SelectField name="encoding" label="Encoding" options={same('hex', 'base64')} />
      <TextField name="prefix" label="Before the signature" hint="Such as sha256= in the header; mostly nothing." />
      <TextField
        name="template"
        label="What is signed"
        placeholder="{body}"
        hint="With {body}, and {timestamp} where a time is signed."
      />
      <TextField
        name="timestamp_header"
        label="Header of the time"
        hint="Where {timestamp} is signed; at most 5 minutes away."
      />
    </>
  );
}
