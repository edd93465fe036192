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
  permission: null,
  success: { status: 200, body: dataOf(Me) },
});

export const updateMe = operation({
  id: 'updateMe',
  method: 'patch',
  path: me,
  permission: null,
  body: z.strictObject({ name: nameText() }),
  example: { name: 'Grace Hopper' },
  success: { status: 200, body: dataOf(Me) },
});

/** Ends every other session; this one continues with a new token. */
export const setPassword = operation({
  id: 'setPassword',
  method: 'post',
  path: `${me}/password`,
  permission: null,
  body: z.strictObject({
    /** The current password, if there is one. */
    password: givenPassword().optional(),
    new_password: newPassword(),
  }),
  example: { password: 'correct horse battery', new_password: 'battery horse correct' },
  success: { status: 200, body: dataOf(Me) },
  errors: ['wrong_credentials'],
});

export const listSessions = operation({
  id: 'listSessions',
  method: 'get',
  path: `${me}/sessions`,
  permission: null,
  success: { status: 200, body: allOf(Session) },
});

export const endSession = operation({
  id: 'endSession',
  method: 'post',
  path: `${me}/sessions/{id}/end`,
  permission: null,
  params: pathId,
  success: { status: 200, body: done },
});

export const endOtherSessions = operation({
  id: 'endOtherSessions',
  method: 'post',
  path: `${me}/sessions/end-others`,
  permission: null,
  success: {
    status: 200,
    body: dataOf(z.object({ ended: z.int().min(0) })),
  },
});
