import { z } from 'zod';
import { nameText } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';
import { id, time } from './shared/page.schema.ts';

const Organization = z.object({ id, name: z.string(), created_at: time });

export const getOrganization = operation({
  id: 'getOrganization',
  method: 'get',
  path: orgPath,
  permission: 'read',
  params: pathOrg,
  success: { status: 200, body: dataOf(Organization) },
});

/** Does not change ids and URLs. */
export const updateOrganization = operation({
  id: 'updateOrganization',
  method: 'patch',
  path: orgPath,
  permission: 'manage',
  params: pathOrg,
  body: z.strictObject({ name: nameText() }),
  example: { name: 'Acme' },
  success: { status: 200, body: dataOf(Organization) },
});
