import { readWith } from '@relata/db';
import { flagConflicts } from '@relata/schemas';
import { AppError, type ErrorDetail, validationError } from '@relata/schemas/errors';
import { lockSettings } from '../settings/settings-lock.sql.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordRules } from '../table/record-table.ts';
import { refuseMissing } from '../writes/reference.sql.ts';

/**
 * Rules of stages: won and lost exclude each other and imply closed; a new stage becomes the last of its pipeline
 * unless `display_order` is given.
 */
export const stageRules: RecordRules = {
  create: {
    complete: async (on, given) => {
      const { db, orgId, table } = on;
      await lockSettings(db, orgId);
      await refuseMissing(db, orgId, table, given);
      const place = given['display_order'] ?? (await lastPlace(db, orgId, given['pipeline_id'])).place;
      return { ...withOutcome(given, {}), display_order: place };
    },
  },
  update: {
    fields: ['pipeline_id', 'is_won', 'is_lost', 'is_closed'],
    complete: (_on, record, patch) => {
      const conflicts = flagConflicts(patch, record);
      if (conflicts.length > 0) throw validationError(conflicts.map(toDetail));
      return Promise.resolve(withOutcome(patch, record));
    },
    approve: async (_on, record, patch) => {
      if (patch['pipeline_id'] === undefined || patch['pipeline_id'] === record['pipeline_id']) return;
      throw new AppError('conflict', 'A stage stays in its pipeline. Create a stage in the other pipeline instead.');
    },
  },
};

const flag = (name: string, given: Row, current: Row) => (given[name] ?? current[name] ?? false) === true;

function toDetail({ path, message }: ReturnType<typeof flagConflicts>[number]): ErrorDetail {
  return { in: 'body', field: path.join('.'), code: 'conflicting_fields', message };
}

/** Returns the given fields with `is_closed` set as the other flags require. */
function withOutcome(given: Row, current: Row): Row {
  const isOver = flag('is_won', given, current) || flag('is_lost', given, current);
  return { ...given, is_closed: isOver || flag('is_closed', given, current) };
}

const lastPlace = readWith<{ place: number }, [orgId: string, pipelineId: unknown]>(
  'stages.place_after_last',
  `SELECT least(coalesce(max(display_order), 0), 2147483646) + 1 AS place
   FROM stages WHERE org_id = $1 AND pipeline_id = $2`,
);
