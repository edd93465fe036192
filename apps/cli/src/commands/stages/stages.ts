import type { Db } from '@relata/db';
import { createStage, findRecord, pipelines, stages as table } from '@relata/records';
import { longText, nameText, uuid } from '@relata/schemas';
import { orNotFound } from '@relata/schemas/errors';
import { command, type CommandGroup } from '../../command/command.ts';
import { org } from '../orgs/organization-option.ts';
import { flag, value, integer } from '../../command/parameter.ts';
import { listAll } from '../../command/record-list.ts';

/** Maximum of a PostgreSQL `integer`. */
const orderMax = 2_147_483_647;

/** Finds the pipeline. Throws if it does not exist, because an empty list would look like a pipeline without stages. */
const pipelineOf = async (db: Db, id: string, orgId: string | undefined) =>
  orNotFound(
    await findRecord(db, orgId!, pipelines, id),
    `The organization has no pipeline ${id}. See: relata pipelines list`,
  );

const create = command({
  name: 'create',
  summary: 'Add a stage to a pipeline',
  options: {
    org,
    pipeline: { ...value('ID', uuid(), 'Id of the pipeline'), resolve: pipelineOf },
    name: value('NAME', nameText(), 'Name'),
    order: value('N', integer(0, orderMax).optional(), 'Position in the pipeline (default: after the last stage)'),
    won: flag('Deals in this stage are won, and closed'),
    lost: flag('Deals in this stage are lost, and closed'),
    closed: flag('Deals in this stage are closed'),
    inactive: flag('Create it inactive'),
    entry_criteria: value('TEXT', longText().optional(), 'When a deal enters the stage'),
    exit_criteria: value('TEXT', longText().optional(), 'When a deal leaves the stage'),
  },
  examples: [
    'stages create --org ORG_ID --pipeline PIPELINE_ID --name Discovery',
    'stages create --org ORG_ID --pipeline PIPELINE_ID --name "Closed won" --won',
  ],
  check: ({ won, lost }) => (won && lost ? 'A stage is --won or --lost, not both.' : undefined),
  run: (context, { org, pipeline, order, won, lost, closed, inactive, ...given }) => {
    const flags = { is_won: won, is_lost: lost, is_closed: closed || won || lost, active: !inactive };
    const made = { ...given, ...flags, pipeline_id: pipeline.id, display_order: order };
    return createStage(context, context.actorIn(org), made);
  },
});

const list = command({
  name: 'list',
  summary: 'List the stages of an organization or of one pipeline',
  options: {
    org,
    pipeline: { ...value('ID', uuid().optional(), 'Only stages of this pipeline'), resolve: pipelineOf },
  },
  examples: ['stages list --org ORG_ID --pipeline PIPELINE_ID'],
  columns: ['id', 'pipeline_id', 'name', 'display_order', 'is_won', 'is_lost', 'is_closed', 'active'],
  run: ({ database }, { org, pipeline }) => listAll(database, org, table, { pipeline_id: pipeline?.id }),
});

export const stages: CommandGroup = { name: 'stages', summary: 'Stages of a pipeline', commands: [create, list] };
