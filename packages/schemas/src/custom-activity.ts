import { z } from 'zod';
import {
  defaulted,
  fixed,
  nullable,
  nullishes,
  readOnlyFields,
  recordFields,
  required,
  shown,
} from './fields/field.ts';
import { instant } from './fields/instant.ts';
import { batchOperation } from './writes/batch.ts';
import { writtenSchema } from './writes/write.schema.ts';
import { dataSchema, listSchema } from './lists/list.ts';
import { expansionsOf, pluralsOf } from './lists/expansion.ts';
import { type ListSpecOf, ofRange, ofValue } from './lists/list-spec.ts';
import { operation } from './operation.ts';
import {
  createOperation,
  deleteOperation,
  getOperation,
  historyOperation,
  listOperation,
} from './resource.operations.ts';
import { answeredRecord, type Resource } from './resource.ts';
import { user } from './resources/user.ts';
import { longText, nameText, tags, text, uuid, uuids } from './fields/text.ts';

const linkedIdsMax = 1_000;
const linkedIds = () => uuids(linkedIdsMax);

const content = longText(1).meta({ description: 'What happened.' });
const source = text({ min: 1, max: 2_048 }).meta({ description: 'Custom source label; `api` by default.' });
const direction = z.enum(['inbound', 'outbound']);

const fields = {
  content: required(content),
  interaction_type: fixed(nameText().meta({ description: '`custom`.' })),
  direction: nullable(direction),
  source: defaulted(source),
  tags: defaulted(tags()),
  date_time: nullable(instant()),
  owner_id: nullable(uuid()),
  contact_ids: defaulted(linkedIds()),
  opportunity_ids: defaulted(linkedIds()),
};

const { id, created_at, updated_at } = recordFields;

const record = z.object({ id, ...shown(fields), created_at, updated_at });

const references = { owner_id: user, contact_ids: 'contacts', opportunity_ids: 'opportunities' };
const expansions = expansionsOf(references);

const answered = answeredRecord(record, expansions).meta({
  id: 'CustomActivity',
  description: 'An interaction, linked to contacts and opportunities.',
});

export type CustomActivity = z.output<typeof record>;

const example = {
  content: 'Asked for a quote at the fair.',
  direction: 'inbound',
  source: 'fair-app',
  tags: ['fair-2026'],
  date_time: '2026-11-20T09:30:00+01:00',
};

const given = {
  content,
  ...nullishes({
    direction,
    tags: tags(),
    date_time: instant().meta({ description: 'When it happened; by default the time of creation.' }),
    source,
    owner_id: uuid().meta({ description: 'User id of the owner.' }),
    contact_ids: linkedIds(),
    opportunity_ids: linkedIds(),
  }),
} satisfies Record<Exclude<keyof typeof fields, 'interaction_type'>, z.ZodType>;

const create = z
  .strictObject({ ...readOnlyFields, ...given })
  .meta({ id: 'CustomActivityCreate', examples: [example] });

const filters = {
  contact_id: uuid().meta({ description: 'Only activities linked to this contact.' }),
  opportunity_id: uuid().meta({ description: 'Only activities linked to this opportunity.' }),
};

const list: ListSpecOf<typeof fields> = {
  sorts: ['date_time', 'created_at'],
  filters: {
    id: ['in'],
    contact_id: ['in'],
    opportunity_id: ['in'],
    source: ['equals'],
    owner_id: ofValue,
    date_time: ofRange,
    created_at: ofRange,
  },
};

const tag = { name: 'Custom activities', description: 'Interactions, linked to contacts and opportunities.' };

const kind = { name: 'custom_activity', plural: 'custom_activities', tag } as const;

const path = '/v1/activities/custom';

const operations = {
  create: operation({
    ...createOperation(kind, create, answered, { example }),
    path,
    summary: 'Log a custom activity',
    scope: 'activities:write',
    success: { status: 201, description: 'The activity that was stored.', body: writtenSchema(answered) },
  }),
  batch: batchOperation(kind, {
    path: `${path}/batch`,
    scope: 'activities:write',
    record: answered,
    items: { create },
    example,
  }),
  list: operation({
    ...listOperation({ ...kind, fields, filters, list, record, answered, expansions }),
    path,
    success: { status: 200, description: 'A page of activities.', body: listSchema(answered) },
  }),
  get: operation({
    ...getOperation({ ...kind, record, answered, expansions }),
    path: `${path}/{id}`,
    success: { status: 200, description: 'The activity.', body: dataSchema(answered) },
  }),
  delete: operation({
    ...deleteOperation(kind, answered),
    path: `${path}/{id}`,
    summary: 'Delete a custom activity',
  }),
  history: historyOperation(kind, `${path}/{id}/history`),
};

/**
 * Declared apart from other records: it has its own path, scope and wording, no `crm_id`, and its links are rows of
 * other tables.
 */
export const customActivity = {
  ...kind,
  eventName: 'activity',
  countName: 'activities',
  goesToTrash: true,
  fields,
  hasCrmId: false,
  references: pluralsOf(references),
  expansions,
  filters,
  list,
  matches: {},
  record,
  answered,
  create,
  example,
  operations,
} as const satisfies Resource;
