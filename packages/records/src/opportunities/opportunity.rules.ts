import { locked, type SharedStatement, statement } from '@relata/db';
import { invalidReferences, validationError } from '@relata/schemas/errors';
import type { Row } from '../table/record-column.ts';
import type { RecordRules, RuleContext } from '../writes/record-rules.ts';
import { missingReferences, refuseMissing } from '../writes/reference.sql.ts';

interface StageAndPipeline {
  stage_id: string | null;
  pipeline: string | null;
}

interface LockedState extends StageAndPipeline {
  n: number;
}

const noStage: StageAndPipeline = { stage_id: null, pipeline: null };

/** Locks in the order of the ids, so that two transactions never wait for each other. */
const lock = statement<LockedState>(
  'opportunities.lock_states',
  `SELECT given.n::integer, o.stage_id, o.pipeline
   FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS given (org_id, id, n)
   JOIN opportunities o ON o.org_id = given.org_id AND o.id = given.id
   ORDER BY o.org_id, o.id FOR NO KEY UPDATE OF o`,
);

const tryLock = statement<LockedState>('opportunities.try_lock_states', `${lock.text} SKIP LOCKED`);

type Named = readonly [orgId: string, id: string];

const found = statement<{ n: number }>(
  'opportunities.exist',
  `SELECT given.n::integer FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS given (org_id, id, n)
   JOIN opportunities o ON o.org_id = given.org_id AND o.id = given.id`,
);

/** Locks opportunities until the unit ends; returns undefined for one that does not exist. */
const lockedStates: SharedStatement<Named, LockedState | undefined> = {
  async run(db, calls, { waits }) {
    const columns = [calls.map(([orgId]) => orgId), calls.map(([, id]) => id)];
    const rows = await db.query(waits ? lock : tryLock, columns);
    const byNumber = new Map(rows.map((row) => [row.n, row]));
    // An opportunity that exists but was not returned is locked by another transaction.
    const there = new Set(
      waits || rows.length === calls.length ? [] : (await db.query(found, columns)).map(({ n }) => n),
    );
    return calls.map((_call, i) => byNumber.get(i + 1) ?? (there.has(i + 1) ? locked : undefined));
  },
  holds: ([orgId, id]) => [`${orgId} ${id.toLowerCase()}`],
};

/**
 * Rules of opportunities: if one has a stage, its pipeline is the name of the stage's pipeline, whichever of the two is
 * given.
 */
export const opportunityRules: RecordRules = {
  create: (on, given) => resolveStageAndPipeline(on, given, noStage),
  update: {
    fields: ['stage_id', 'pipeline'],
    // Locked until the transaction ends, so that its stage does not change after it was read.
    complete: async (on, id, patch) => {
      const current = await on.db.call(lockedStates, [on.orgId, id]);
      return resolveStageAndPipeline(on, patch, current ?? noStage);
    },
  },
};

const pipelineOfStage = statement<{ name: string }>(
  'stages.pipeline_name',
  `SELECT p.name FROM stages s JOIN pipelines p ON p.org_id = s.org_id AND p.id = s.pipeline_id
   WHERE s.org_id = $1 AND s.id = $2`,
);

/** Adds the pipeline of the stage if none is given; throws if another one is. */
async function resolveStageAndPipeline(on: RuleContext, given: Row, current: StageAndPipeline): Promise<Row> {
  const stageId = given['stage_id'] === undefined ? current.stage_id : (given['stage_id'] as string | null);
  if (stageId === null) return given;
  const { db, orgId, table } = on;
  const [pipeline] = await db.query(pipelineOfStage, [orgId, stageId]);
  if (!pipeline) await refuseMissing(db, orgId, table, given);
  if (!pipeline) return given;
  const named = given['pipeline'] ?? null;
  if (named !== null && named !== pipeline.name) throw await disagreement(on, given, pipeline.name);
  return { ...given, pipeline: pipeline.name };
}

/**
 * Returns the error for a pipeline that does not fit the stage, together with all other invalid references of the body.
 */
async function disagreement({ db, orgId, table }: RuleContext, given: Row, name: string) {
  const message = `The stage belongs to the pipeline ${JSON.stringify(name)}.`;
  const missing = invalidReferences(await missingReferences(db, orgId, table, given)).details ?? [];
  return validationError([...missing, { in: 'body', field: 'pipeline', code: 'invalid_reference', message }]);
}
