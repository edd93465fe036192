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
  summary: 'Read what is said of the organization as a whole',
  permission: 'read',
  params: pathOrg,
  success: { status: 200, description: 'The organization.', body: dataOf(Organization) },
});

export const updateOrganization = operation({
  id: 'updateOrganization',
  method: 'patch',
  path: orgPath,
  summary: 'Rename the organization',
  description: 'Ids and addresses stay as they are.',
  permission: 'manage',
  params: pathOrg,
  body: z.strictObject({ name: nameText() }),
  example: { name: 'Acme' },
  success: { status: 200, description: 'The organization as it is now.', body: dataOf(Organization) },
});
