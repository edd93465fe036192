import { z } from 'zod';
import { pathId } from '../fields/path-id.ts';
import { nameText } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { consolePath } from './shared/console-path.ts';
import { allOf, done } from './shared/page.schema.ts';
import { Me, Session } from './shared/person.schema.ts';
import { givenPassword, newPassword } from './sign-in.operations.ts';

const me = `${consolePath}/me` as const;

export const getMe = operation({
  id: 'getMe',
  method: 'get',
  path: me,
  summary: 'Who is signed in, and what they may do where',
  permission: null,
  success: { status: 200, description: 'The person, memberships and the server.', body: dataOf(Me) },
});

export const updateMe = operation({
  id: 'updateMe',
  method: 'patch',
  path: me,
  summary: 'Change the own name',
  permission: null,
  body: z.strictObject({ name: nameText() }),
  example: { name: 'Grace Hopper' },
  success: { status: 200, description: 'The person as it is now.', body: dataOf(Me) },
});

export const setPassword = operation({
  id: 'setPassword',
  method: 'post',
  path: `${me}/password`,
  summary: 'Set or change the own password',
  description: 'Every other session ends, and this one goes on with a new token.',
  permission: null,
  body: z.strictObject({
    password: givenPassword().optional().meta({ description: 'The present one, where there is one.' }),
    new_password: newPassword(),
  }),
  example: { password: 'correct horse battery', new_password: 'battery horse correct' },
  success: { status: 200, description: 'The person; the cookie is set anew.', body: dataOf(Me) },
  errors: ['wrong_credentials'],
});

export const listSessions = operation({
  id: 'listSessions',
  method: 'get',
  path: `${me}/sessions`,
  summary: 'List the own sessions that have not ended',
  permission: null,
  success: { status: 200, description: 'The one last used first; at most 100.', body: allOf(Session) },
});

export const endSession = operation({
  id: 'endSession',
  method: 'post',
  path: `${me}/sessions/{id}/end`,
  summary: 'End one of the own sessions',
  permission: null,
  params: pathId,
  success: { status: 200, description: 'It has ended.', body: done },
});

export const endOtherSessions = operation({
  id: 'endOtherSessions',
  method: 'post',
  path: `${me}/sessions/end-others`,
  summary: 'End all own sessions but this one',
  permission: null,
  success: {
    status: 200,
    description: 'They have ended.',
    body: dataOf(z.object({ ended: z.int().min(0).meta({ description: 'How many.' }) })),
  },
});
