import { z } from 'zod';
import { nullishes } from '../fields/field.ts';
import { emailAddress, longText, shortText, nameText } from '../fields/text.ts';
import { operation } from '../operation.ts';
import { chatOperation } from './chat.ts';

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
    work_email: emailAddress(),
    ...nullishes({
      company: shortText(),
      team_size: shortText(),
      crm: shortText(),
      use_case: shortText(),
      message: longText().meta({ description: 'Freeform visitor note.' }),
    }),
  })
  .meta({ id: 'DemoRequest', examples: [demoExample] });

export type DemoRequest = z.output<typeof DemoRequest>;

export const requestDemo = operation({
  ...chatOperation,
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
