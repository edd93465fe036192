import { jsonSchema, tool, type ToolSet } from 'ai';
import { demoToolName } from './instructions.ts';

/** Fields of the form, with their meaning and maximum length in characters. */
const fields = {
  name: { description: 'Full name', maxLength: 255 },
  work_email: { description: 'Email address at work', maxLength: 2_048 },
  company: { description: 'Company', maxLength: 2_048 },
  team_size: { description: 'How many people would use it', maxLength: 2_048 },
  crm: { description: 'The CRM in use today', maxLength: 2_048 },
  use_case: { description: 'What they want to do with it', maxLength: 2_048 },
  message: { description: 'What they want to know or see', maxLength: 4_000 },
} as const;

const properties = Object.fromEntries(
  Object.entries(fields).map(([name, field]) => [name, { type: 'string', ...field }]),
);

/**
 * Offers the demo form. Executes nothing: the call ends the answer, the visitor's page shows the prefilled form, and
 * only the visitor's own click sends it. The call's arguments are not validated, because the answer may already have
 * announced a form, so the visitor must see one.
 */
const demoTool = tool({
  description: 'Shows the visitor the form for a demo request, with what they have already said filled in.',
  inputSchema: jsonSchema<unknown>(
    { type: 'object', properties, additionalProperties: false } as Parameters<typeof jsonSchema>[0],
    { validate: (value) => ({ success: true, value }) },
  ),
});

/** Returns the form's fields from a model's input: values that are text or numbers, cut to their maximum length. */
export function offeredFields(input: unknown): Record<string, string> {
  const given = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const filled = Object.entries(fields).flatMap(([name, { maxLength }]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).toWellFormed().trim() : '';
    return text === '' ? [] : [[name, text.slice(0, maxLength).toWellFormed()] as const];
  });
  return Object.fromEntries(filled);
}

/** All tools that the model can call. The SDK's types do not support `exactOptionalPropertyTypes`. */
export const tools = { [demoToolName]: demoTool } as unknown as ToolSet;
