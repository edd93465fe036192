import type { z } from 'zod';
import { optional, required } from '../fields/field.ts';
import { readOnlyResource } from '../resource.ts';
import { emailText, lineText, nameText } from '../fields/text.ts';

export const user = readOnlyResource({
  name: 'user',
  plural: 'users',
  tag: { name: 'Users', description: 'Members of the organization. Created by the operator.' },
  description: 'A member of the organization.',
  fields: {
    email: required(emailText()),
    first_name: required(nameText()),
    last_name: required(nameText()),
    role: required(lineText()),
    status: required(lineText()),
    job_function: optional(lineText()),
    job_level: optional(lineText()),
    profile_photo: optional(lineText().meta({ description: 'Identifier of a photo asset.' })),
  },
  filters: {},
  list: { filters: { id: ['in'], email: ['equals', 'in'] } },
  example: {
    email: 'grace@acme.example',
    first_name: 'Grace',
    last_name: 'Hopper',
    role: 'member',
    status: 'active',
  },
});

export type User = z.output<typeof user.record>;
