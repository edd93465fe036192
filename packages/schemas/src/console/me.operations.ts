import { z } from 'zod';
import { nameText } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { wholeListSchema, done } from './shared/page.schema.ts';
import { givenPassword, Me, newPassword, Session } from './shared/person.schema.ts';

export const getMe = consoleOperation('get', '/me', {
  permission: null,
  success: { status: 200, body: dataSchema(Me) },
});

export const updateMe = consoleOperation('patch', '/me', {
  permission: null,
  body: z.strictObject({ name: nameText() }),
  example: { name: 'Grace Hopper' },
  success: { status: 200, body: dataSchema(Me) },
});

/** Ends every other session; this one continues with a new token. */
export const setPassword = consoleOperation('post', '/me/password', {
  permission: null,
  body: z.strictObject({
    /** The current password, if there is one. */
    password: givenPassword().optional(),
    new_password: newPassword(),
  }),
  example: { password: 'correct horse battery', new_password: 'battery horse correct' },
  success: { status: 200, body: dataSchema(Me) },
  errors: ['wrong_credentials'],
});

export const listSessions = consoleOperation('get', '/me/sessions', {
  permission: null,
  success: { status: 200, body: wholeListSchema(Session) },
});

export const endSession = consoleOperation('post', '/me/sessions/{id}/end', {
  permission: null,
  success: { status: 200, body: done },
});

export const endOtherSessions = consoleOperation('post', '/me/sessions/end-others', {
  permission: null,
  success: { status: 200, body: dataSchema(z.object({ ended: z.int().min(0) })) },
});
