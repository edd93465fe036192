import { z } from 'zod';
import { dataOf, listOf, listQuery } from './list.ts';
import { operation } from './operation.ts';
import { pathId } from './path-id.ts';
import { recordFields } from './record.ts';
import { emailText, lineText, nameText } from './text.ts';

const { id, ...trailing } = recordFields;

export const User = z
  .object({
    id,
    email: emailText(),
    first_name: nameText(),
    last_name: nameText(),
    role: lineText(),
    status: lineText(),
    job_function: lineText().optional(),
    job_level: lineText().optional(),
    profile_photo: lineText().optional().meta({ description: 'Identifier of a photo asset.' }),
    ...trailing,
  })
  .meta({ id: 'User', description: 'A member of the organization.' });

export type User = z.output<typeof User>;

const shared = { tag: 'Users', scope: 'records:read' } as const;

export const listUsers = operation({
  ...shared,
  id: 'listUsers',
  method: 'get',
  path: '/v1/records/users',
  summary: 'List users',
  query: listQuery({}),
  success: { status: 200, description: 'A page of users.', body: listOf(User) },
});

export const getUser = operation({
  ...shared,
  id: 'getUser',
  method: 'get',
  path: '/v1/records/users/{id}',
  summary: 'Read a user',
  params: pathId,
  success: { status: 200, description: 'The user.', body: dataOf(User) },
});
