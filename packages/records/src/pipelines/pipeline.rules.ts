import { findValueWith, readWith } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import { lockSettings } from '../settings/settings-lock.sql.ts';
import { changeOpportunities } from '../settings/move-opportunities.sql.ts';
import { refuseUsedValue } from '../settings/unique-value.sql.ts';
import { lockStageUses } from '../stages/stage-lock.sql.ts';
import { findStagesOf } from '../stages/stages-of-pipeline.sql.ts';
import type { Row } from '../table/record-column.ts';
import { linkedCountMax } from '../trash/linked-limit.ts';
import { changeRow, newChange } from '../writes/record-change.sql.ts';
import type { RecordRules, RuleContext } from '../table/record-table.ts';

/**
 * Rules of pipelines: names are unique, opportunities store the name of their pipeline, and one pipeline is the
 * default. A rename waits until no unit gives a stage to an opportunity, so that no opportunity gets the old name.
 */
export const pipelineRules: RecordRules = {
  create: {
    complete: async (on, given) => {
      await lockSettings(on.db, on.orgId);
      await refuseUsedValue(on, given);
      const current = await findDefault(on.db, on.orgId);
      if (current !== undefined && given['is_default'] === true) await endDefault(on, current);
      return { ...given, is_default: current === undefined || given['is_default'] === true };
    },
  },
  update: {
    fields: ['name', 'is_default'],
    lock: async ({ db, orgId }, id, { name }) => {
      await lockSettings(db, orgId);
      const isRenamed = typeof name === 'string' && (await findOther(db, orgId, id, name)).is_other;
      if (isRenamed) await lockStageUses(db, orgId);
    },
    complete: (_on, _record, patch) => Promise.resolve(patch),
    approve: async (on, record, patch) => {
      if (isChanged(record, patch, 'name')) await refuseUsedValue(on, patch, record['id'] as string);
      if (isChanged(record, patch, 'is_default')) await moveDefault(on, patch);
    },
    follow: async (on, record, changed) => {
      if (changed['name'] !== record['name']) await renameOpportunities(on, record, changed);
    },
  },
};

const isChanged = (record: Row, patch: Row, name: string) => patch[name] !== undefined && patch[name] !== record[name];

const findOther = readWith<{ is_other: boolean }, [orgId: string, id: string, name: string]>(
  'pipelines.is_other_name',
  'SELECT EXISTS (SELECT FROM pipelines WHERE org_id = $1 AND id = $2 AND name <> $3) AS is_other',
);

async function renameOpportunities(on: RuleContext, record: Row, changed: Row): Promise<void> {
  const stagesOf = await findStagesOf(on.db, on.orgId, record['id'] as string, linkedCountMax);
  const [freePipeline, pipeline] = [record['name'] as string, changed['name'] as string];
  const selection = { stageIds: stagesOf.map(({ id }) => id), freePipeline, except: pipeline };
  await changeOpportunities(on, selection, { pipeline });
}

async function moveDefault(on: RuleContext, patch: Row): Promise<void> {
  if (patch['is_default'] === false)
    throw new AppError('conflict', 'This is the default pipeline. Make another pipeline the default instead.');
  const current = await findDefault(on.db, on.orgId);
  if (current !== undefined) await endDefault(on, current);
}

const findDefault = findValueWith<string, [orgId: string]>(
  'pipelines.find_default',
  'SELECT id FROM pipelines WHERE org_id = $1 AND is_default',
);

async function endDefault({ db, actor, table }: RuleContext, id: string): Promise<void> {
  await changeRow(db, table, newChange(actor, { id, patch: { is_default: false } }, table.writable));
}
