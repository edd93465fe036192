import { stages as table } from '@relata/records';
import { freeText, nameText, uuid } from '@relata/schemas';
import { command, type Noun } from './command.ts';
import { org, requireOrganization } from './organization.option.ts';
import { flag, value } from './parameter.ts';
import { listAll } from './record-list.ts';
import { createStage, requirePipeline } from './stage.sql.ts';
import { wholeNumber } from './whole-number.ts';

/** What an `integer` of PostgreSQL holds. */
const orderMax = 2_147_483_647;

const create = command({
  name: 'create',
  summary: 'Add a stage to a pipeline',
  options: {
    org,
    pipeline: value('ID', uuid(), 'Id of the pipeline'),
    name: value('NAME', nameText(), 'What it is called'),
    order: value('N', wholeNumber(0, orderMax).optional(), 'Place in the pipeline; after the last one unless given'),
    won: flag('Deals here are won, and so closed'),
    lost: flag('Deals here are lost, and so closed'),
    closed: flag('Deals here are closed'),
    inactive: flag('Not in use yet, or any more'),
    entry_criteria: value('TEXT', freeText().optional(), 'When a deal enters it'),
    exit_criteria: value('TEXT', freeText().optional(), 'When a deal leaves it'),
  },
  examples: [
    'stages create --org ORG_ID --pipeline PIPELINE_ID --name Discovery',
    'stages create --org ORG_ID --pipeline PIPELINE_ID --name "Closed won" --won',
  ],
  check: ({ won, lost }) => (won && lost ? 'A stage is --won or --lost, not both.' : undefined),
  run: async ({ database }, { org, pipeline, order, won, lost, closed, inactive, ...given }) => {
    await requireOrganization(database, org);
    const outcome = { is_won: won, is_lost: lost, is_closed: closed || won || lost, active: !inactive };
    return {
      ...(await createStage(database, org, { ...given, ...outcome, pipeline_id: pipeline, display_order: order })),
    };
  },
});

const list = command({
  name: 'list',
  summary: 'List the stages of an organization or of one pipeline',
  options: { org, pipeline: value('ID', uuid().optional(), 'Only those of this pipeline') },
  examples: ['stages list --org ORG_ID --pipeline PIPELINE_ID'],
  columns: ['id', 'pipeline_id', 'name', 'display_order', 'is_won', 'is_lost', 'is_closed', 'active'],
  run: async ({ database }, { org, pipeline }) => {
    await requireOrganization(database, org);
    if (pipeline !== undefined) await requirePipeline(database, org, pipeline);
    return listAll(database, org, table, { pipeline_id: pipeline });
  },
});

export const stages: Noun = { name: 'stages', summary: 'Steps of a pipeline', commands: [create, list] };
