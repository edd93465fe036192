import { z } from 'zod';
import { operation } from './operation.ts';
import { emailText, freeText, lineText, nameText, text } from './text.ts';

const shared = { tag: 'Marketing chatbot', scope: 'chat' } as const;

const ChatMessage = z
  .object({
    id: lineText().optional(),
    role: z.enum(['user', 'assistant']),
    content: freeText().optional(),
    parts: z.array(z.looseObject({}).nullable()).optional(),
  })
  .meta({ id: 'ChatMessage', description: 'One turn of the conversation; `parts` or `content` holds its text.' });

const chatExample = {
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'What does it cost?' }] }],
  session_id: 'visitor-42',
};

export const ChatRequest = z
  .object({
    messages: z.array(ChatMessage).min(1).max(40).meta({ description: 'The conversation so far, oldest first.' }),
    session_id: lineText().optional().meta({ description: 'Opaque visitor session identifier; not kept.' }),
  })
  .meta({ id: 'ChatRequest', examples: [chatExample] });

export const chat = operation({
  ...shared,
  id: 'chat',
  method: 'post',
  path: '/v1/genie/chat',
  summary: 'Ask the chatbot',
  description: 'Answers as a UI-message stream, which the chat hook of the AI SDK reads with its default transport.',
  body: ChatRequest,
  example: chatExample,
  success: { status: 200, description: 'The answer, as it is written.', contentType: 'text/event-stream' },
});

const demoExample = {
  name: 'Ada Lovelace',
  work_email: 'ada@robotics.example',
  company: 'Example Robotics',
  team_size: '11-50',
  message: 'We would like to see the pipeline view.',
};

export const DemoRequest = z
  .strictObject({
    name: nameText(),
    work_email: emailText(),
    company: lineText().optional(),
    team_size: lineText().optional(),
    crm: lineText().optional(),
    use_case: lineText().optional(),
    message: text({ max: 100_000 }).optional().meta({ description: 'Freeform visitor note.' }),
  })
  .meta({ id: 'DemoRequest', examples: [demoExample] });

export const requestDemo = operation({
  ...shared,
  id: 'requestDemo',
  method: 'post',
  path: '/v1/genie/demo-request',
  summary: 'Ask for a demo',
  description: 'The request is stored, then forwarded to the configured team chat channel.',
  body: DemoRequest,
  example: demoExample,
  success: {
    status: 200,
    description: 'Stored and forwarded.',
    body: z.object({ ok: z.literal(true) }).meta({ id: 'DemoRequestAccepted' }),
  },
  errors: ['upstream_error'],
});
