import { tool, type ToolSet } from 'ai';
import { z } from 'zod';
import { demoToolName } from './instructions.ts';

const line = (description: string) => z.string().max(2_048).optional().describe(description);

/**
 * Offers the demo form. Nothing runs here: the call ends the answer, the visitor's page shows the form with what it
 * holds, and only the visitor's own click sends it.
 */
const demoTool = tool({
  description: 'Shows the visitor the form for a demo request, with what they have already said filled in.',
  inputSchema: z.object({
    name: z.string().max(255).optional().describe('Full name'),
    work_email: line('Email address at work'),
    company: line('Company'),
    team_size: line('How many people would use it'),
    crm: line('The CRM in use today'),
    use_case: line('What they want to do with it'),
    message: z.string().max(4_000).optional().describe('What they want to know or see'),
  }),
});

/** All that the model can call. The SDK's types do not know `exactOptionalPropertyTypes`. */
export const tools = { [demoToolName]: demoTool } as unknown as ToolSet;
