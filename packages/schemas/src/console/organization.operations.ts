import { z } from 'zod';
import { nameText } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { id, time } from './shared/page.schema.ts';

const Organization = z.object({ id, name: z.string(), created_at: time });

export const getOrganization = consoleOperation('get', '/orgs/{org}', {
  permission: 'read',
  success: { status: 200, body: dataSchema(Organization) },
});

/** Changes the name; ids and URLs stay the same. */
export const updateOrganization = consoleOperation('patch', '/orgs/{org}', {
  permission: 'manage',
  body: z.strictObject({ name: nameText() }),
  example: { name: 'Acme' },
  success: { status: 200, body: dataSchema(Organization) },
});
