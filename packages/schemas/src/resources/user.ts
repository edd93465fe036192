import type { z } from 'zod';
import { optional, preset, required } from '../fields/field.ts';
import { settingResource } from '../resource.ts';
import { emailText, lineText, nameText } from '../fields/text.ts';

export const user = settingResource({
  name: 'user',
  plural: 'users',
  tag: { name: 'Users', description: 'People who own records.' },
  description: 'A person who owns records. Whether they can sign in is decided in the console, under Members.',
  fields: {
    email: required(emailText()),
    first_name: required(nameText()),
    last_name: required(nameText()),
    role: preset(lineText(), 'member'),
    status: preset(lineText(), 'active'),
    job_function: optional(lineText()),
    job_level: optional(lineText()),
    profile_photo: optional(lineText().meta({ description: 'Identifier of a photo asset.' })),
  },
  unique: 'email',
  filters: {},
  list: { filters: { id: ['in'], email: ['equals', 'in'] } },
  example: {
    email: 'grace@acme.example',
    first_name: 'Grace',
    last_name: 'Hopper',
    role: 'member',
    status: 'active',
  },
  examplePatch: { job_level: 'director' },
  onCreate:
    'A user owns records. Creating a user gives nobody access to the console. If somebody with the same ' +
    'address is invited, the member is linked to this user.',
  onUpdate:
    'Users are never deleted; set `status` to `inactive`. `email`, `role` and `status` of a member or an invited user ' +
    'can only be changed in the console, under Members.',
});

export type User = z.output<typeof user.record>;
