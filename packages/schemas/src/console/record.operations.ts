import { z } from 'zod';
import { text } from '../fields/text.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';
import { allOf, id } from './shared/page.schema.ts';

const FoundRecord = z.object({
  record_type: z.enum(['account', 'contact', 'opportunity']),
  id,
  name: z.string().meta({ description: 'The name of the record, to be shown in a list.' }),
  record: z.record(z.string(), z.unknown()).meta({ description: 'All fields, as the API returns them.' }),
});

export type FoundRecord = z.output<typeof FoundRecord>;

export const findRecords = operation({
  id: 'findRecords',
  method: 'get',
  path: `${orgPath}/records`,
  summary: 'Find records by a whole value',
  description:
    'Accounts by id, domain, name or `crm_id`; contacts by id, e-mail address or `crm_id`; opportunities by id or ' +
    '`crm_id`. The whole value has to be the same, names and addresses in any case of letters.',
  permission: 'read',
  params: pathOrg,
  query: z.strictObject({
    value: text({ min: 1, max: 255 })
      .optional()
      .meta({ description: 'An id, an e-mail address, a domain or a name. Nothing is found without one.' }),
  }),
  success: { status: 200, description: 'At most 5 records of each kind, the oldest first.', body: allOf(FoundRecord) },
});
