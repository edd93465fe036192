import { z } from 'zod';
import { instant } from './instant.ts';
import { dataOf, listOf, listQuery } from './list.ts';
import { operation } from './operation.ts';
import { pathId } from './path-id.ts';
import { nullish, readOnlyFields, recordFields } from './record.ts';
import { freeText, nameText, tags, text, uuid } from './text.ts';

const { id, created_at, updated_at } = recordFields;

const linkedIdsMax = 1_000;
const linkedIds = () => z.array(uuid()).max(linkedIdsMax);

const content = freeText(1).meta({ description: 'What happened.' });
const source = text({ min: 1, max: 2_048 }).meta({ description: 'Custom source label; `api` where none is given.' });
const direction = z.enum(['inbound', 'outbound']);
const dateTime = instant().meta({ description: 'When it happened; the time of creation where none is given.' });
const ownerId = uuid().meta({ description: 'User id of the owner.' });

export const CustomActivity = z
  .object({
    id,
    content,
    interaction_type: nameText().meta({ description: '`custom`.' }),
    direction: direction.nullable(),
    source,
    tags: tags(),
    date_time: instant().nullable(),
    owner_id: uuid().nullable(),
    contact_ids: linkedIds(),
    opportunity_ids: linkedIds(),
    created_at,
    updated_at,
  })
  .meta({ id: 'CustomActivity', description: 'An interaction, linked to contacts and opportunities.' });

export type CustomActivity = z.output<typeof CustomActivity>;

const example = {
  content: 'Asked for a quote at the fair.',
  direction: 'inbound',
  source: 'fair-app',
  tags: ['fair-2026'],
  date_time: '2026-11-20T09:30:00+01:00',
};

export const CustomActivityCreate = z
  .strictObject({
    ...readOnlyFields,
    content,
    ...nullish({
      direction,
      tags: tags(),
      date_time: dateTime,
      source,
      owner_id: ownerId,
      contact_ids: linkedIds(),
      opportunity_ids: linkedIds(),
    }),
  })
  .meta({ id: 'CustomActivityCreate', examples: [example] });

export type CustomActivityCreate = z.output<typeof CustomActivityCreate>;

const shared = { tag: 'Custom activities' } as const;

export const createCustomActivity = operation({
  ...shared,
  id: 'createCustomActivity',
  method: 'post',
  path: '/v1/activities/custom',
  summary: 'Log a custom activity',
  scope: 'activities:write',
  body: CustomActivityCreate,
  example,
  success: { status: 201, description: 'The activity, stored.', body: dataOf(CustomActivity) },
});

export const listCustomActivities = operation({
  ...shared,
  id: 'listCustomActivities',
  method: 'get',
  path: '/v1/activities/custom',
  summary: 'List custom activities',
  scope: 'records:read',
  query: listQuery({
    contact_id: uuid().optional().meta({ description: 'Only those linked to this contact.' }),
    opportunity_id: uuid().optional().meta({ description: 'Only those linked to this opportunity.' }),
  }),
  success: { status: 200, description: 'A page of activities.', body: listOf(CustomActivity) },
});

export const getCustomActivity = operation({
  ...shared,
  id: 'getCustomActivity',
  method: 'get',
  path: '/v1/activities/custom/{id}',
  summary: 'Read a custom activity',
  scope: 'records:read',
  params: pathId,
  success: { status: 200, description: 'The activity.', body: dataOf(CustomActivity) },
});
