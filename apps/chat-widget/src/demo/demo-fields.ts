import { storableText } from '../chat/storable-text.ts';

/** Fields of a demo request, as `POST /v1/genie/demo-request` accepts them. */
export const demoFields = [
  { name: 'name', label: 'Name', isRequired: true, autocomplete: 'name', charsMax: 255 },
  { name: 'work_email', label: 'Work email', isRequired: true, autocomplete: 'email', charsMax: 2_048 },
  { name: 'company', label: 'Company', autocomplete: 'organization', charsMax: 2_048 },
  { name: 'team_size', label: 'Team size', options: ['1-10', '11-50', '51-200', '201-1000', '1000+'], charsMax: 2_048 },
  { name: 'crm', label: 'Current CRM', charsMax: 2_048 },
  { name: 'use_case', label: 'Use case', charsMax: 2_048 },
  { name: 'message', label: 'Anything else?', isLong: true, charsMax: 4_000 },
] as const satisfies readonly DemoField[];

export const requiredFields = demoFields.filter((field) => 'isRequired' in field);
export const optionalFields = demoFields.filter((field) => !('isRequired' in field));

export interface DemoField {
  name: string;
  label: string;
  isRequired?: boolean;
  isLong?: boolean;
  autocomplete?: string;
  options?: readonly string[];
  charsMax: number;
}

export type DemoFieldName = (typeof demoFields)[number]['name'];

export type DemoInput = Readonly<Partial<Record<DemoFieldName, string>>>;

/** Problems by field. `form` has a problem that concerns no single field. */
export type DemoProblems = Readonly<Partial<Record<DemoFieldName | 'form', string>>>;

/** Returns the known text fields of a model's input, cut to their maximum length. */
export function demoInput(value: Record<string, unknown>): DemoInput {
  const fields = demoFields.flatMap(({ name, charsMax }) => {
    const text = Object.hasOwn(value, name) ? value[name] : undefined;
    return typeof text === 'string' && text !== '' ? [[name, storableText(text, charsMax)]] : [];
  });
  return Object.fromEntries(fields) as DemoInput;
}

/** Returns the body to send: trimmed, without empty fields. */
export function demoBody(input: Record<string, unknown>): DemoInput {
  const trimmed = Object.entries(demoInput(input)).map(([name, text]) => [name, text.trim()]);
  return Object.fromEntries(trimmed.filter(([, text]) => text !== '')) as DemoInput;
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** The service's pattern. A looser one would accept addresses that the service refuses with 400. */
const emailPattern = new RegExp(`^${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`);

/**
 * Returns the problems for which the service would refuse the request. The form shows them before it sends anything.
 */
export function demoProblems(body: DemoInput): DemoProblems {
  const { name, work_email: email } = body;
  return {
    ...(!name && { name: 'Please fill in your name.' }),
    ...(!email && { work_email: 'Please fill in your work email.' }),
    ...(email && !emailPattern.test(email) && { work_email: 'This does not look like an email address.' }),
  };
}
