import { onlyRow, statement } from '@relata/db';
import { AppError, type ErrorDetail, validationError } from '@relata/schemas/errors';
import { lockSettings } from '../settings/settings-lock.sql.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordRules, RuleContext } from '../table/record-table.ts';
import { missingDetails } from '../writes/reference.sql.ts';

/**
 * Rules of stages: won and lost exclude each other and imply closed; a new stage becomes the last of its pipeline
 * unless `display_order` is given.
 */
export const stageRules: RecordRules = {
  create: {
    complete: async (on, given) => {
      const { db, orgId, table } = on;
      await lockSettings(db, orgId);
      const missing = await missingDetails(db, orgId, table, given);
      const details = [...missing, ...contradictions(given, {})];
      if (details.length > 0) throw validationError(details);
      const place = given['display_order'] ?? (await placeAfterLast(on, given['pipeline_id']));
      return { ...withOutcome(given, {}), display_order: place };
    },
  },
  update: {
    fields: ['pipeline_id', 'is_won', 'is_lost', 'is_closed'],
    complete: (_on, record, patch) => {
      const details = contradictions(patch, record);
      if (details.length > 0) throw validationError(details);
      return Promise.resolve(withOutcome(patch, record));
    },
    approve: async (_on, record, patch) => {
      if (patch['pipeline_id'] === undefined || patch['pipeline_id'] === record['pipeline_id']) return;
      throw new AppError('conflict', 'A stage stays in its pipeline. Create a stage in the other pipeline instead.');
    },
  },
};

const flag = (name: string, given: Row, current: Row) => (given[name] ?? current[name] ?? false) === true;

/** Returns the problems of flags that exclude each other. */
function contradictions(given: Row, current: Row): ErrorDetail[] {
  const [isWon, isLost] = [flag('is_won', given, current), flag('is_lost', given, current)];
  if (isWon && isLost)
    return [contradiction(given['is_lost'] === true ? 'is_lost' : 'is_won', 'A stage is won or lost, not both.')];
  if ((isWon || isLost) && given['is_closed'] === false)
    return [contradiction('is_closed', 'Won and lost stages are closed.')];
  return [];
}

function contradiction(field: string, message: string): ErrorDetail {
  return { in: 'body', field, code: 'conflicting_fields', message };
}

/** Returns the given fields with `is_closed` set as the other flags require. */
function withOutcome(given: Row, current: Row): Row {
  const isOver = flag('is_won', given, current) || flag('is_lost', given, current);
  return { ...given, is_closed: isOver || flag('is_closed', given, current) };
}

const lastPlace = statement<{ place: number }>(
  'stages.place_after_last',
  `SELECT least(coalesce(max(display_order), 0), 2147483646) + 1 AS place
   FROM stages WHERE org_id = $1 AND pipeline_id = $2`,
);

async function placeAfterLast({ db, orgId }: RuleContext, pipelineId: unknown): Promise<number> {
  return (await onlyRow(db, lastPlace, [orgId, pipelineId])).place;
}
