import type { z } from 'zod';
import { optional, preset, required } from '../fields/field.ts';
import { settingResource } from '../resource.ts';
import { emailAddress, shortText, nameText } from '../fields/text.ts';

export const user = settingResource({
  name: 'user',
  plural: 'users',
  tag: { name: 'Users', description: 'People who own records.' },
  description: 'A person who owns records. Whether they can sign in is decided in the console, under Members.',
  fields: {
    email: required(emailAddress()),
    first_name: required(nameText()),
    last_name: required(nameText()),
    role: preset(shortText(), 'member'),
    status: preset(shortText(), 'active'),
    job_function: optional(shortText()),
    job_level: optional(shortText()),
    profile_photo: optional(shortText().meta({ description: 'Identifier of a photo asset.' })),
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
