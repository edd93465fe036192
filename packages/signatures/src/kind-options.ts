import { z } from 'zod';
import type { OptionText } from './kind.ts';
import { describeKind, type SignatureKindName } from './kinds.ts';

/** An option of a kind as a form asks for it. */
export interface KindOption extends OptionText {
  /** Name in a spec, such as `timestampHeader`. */
  name: string;
  isRequired: boolean;
  /** Permitted values, the default first; empty if it is free text. */
  choices: readonly string[];
  default: string | null;
}

interface FieldSchema {
  enum?: readonly string[];
  default?: string;
}

/** Returns the options of a kind, read from the texts and the schema that it declares. */
export function listOptions(kind: SignatureKindName): KindOption[] {
  const { options, optionTexts = {} } = describeKind(kind);
  if (!options) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(options, { io: 'input' });
  return Object.entries(optionTexts).map(([name, text]) => {
    const { enum: values = [], default: fallback = null } = properties[name] as FieldSchema;
    const choices = values.toSorted((a, b) => Number(b === fallback) - Number(a === fallback));
    return { name, ...text, isRequired: required.includes(name), choices, default: fallback };
  });
}
