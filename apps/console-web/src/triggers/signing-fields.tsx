import { SelectField, TextField } from '../ui/controls/field.tsx';

export const optionNames = ['header', 'algorithm', 'encoding', 'prefix', 'template', 'timestamp_header'] as const;

const same = (...values: string[]) => values.map((value) => [value, value] as const);

/** Signature options for a sender of an unknown kind. */
export function SigningFields() {
  return (
    <>
      <TextField name="header" label="Signature header" placeholder="x-signature" />
      <SelectField name="algorithm" label="Algorithm" options={same('sha256', 'sha512', 'sha1')} />
      <SelectField name="encoding" label="Encoding" options={same('hex', 'base64')} />
      <TextField
        name="prefix"
        label="Prefix"
        hint="Text before the signature in the header, such as sha256=. Usually empty."
      />
      <TextField
        name="template"
        label="Signed content"
        placeholder="{body}"
        hint="Contains {body}, and {timestamp} if the sender signs one."
      />
      <TextField
        name="timestamp_header"
        label="Timestamp header"
        hint="Required with {timestamp}. Timestamps more than 5 minutes off are refused."
      />
    </>
  );
}
