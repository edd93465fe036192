import { z } from 'zod';
import { optional, preset, required } from '../fields/field.ts';
import { integer } from '../fields/numbers.ts';
import { settingResource } from '../resource.ts';
import type { Conflict } from '../writes/refuse-conflicts.ts';
import { removeOperation } from '../resource.operations.ts';
import { longText, nameText, uuid } from '../fields/text.ts';

const declared = settingResource({
  name: 'stage',
  plural: 'stages',
  tag: { name: 'Stages', description: 'The steps of a pipeline.' },
  description: 'A step of a pipeline.',
  fields: {
    pipeline_id: required(uuid().meta({ description: 'The pipeline it belongs to. It cannot be changed.' })),
    name: required(nameText()),
    is_won: preset(z.boolean().meta({ description: 'True if deals in this stage are won.' }), false),
    is_lost: preset(z.boolean().meta({ description: 'True if deals in this stage are lost.' }), false),
    is_closed: preset(
      z.boolean().meta({ description: 'True if deals in this stage are closed; always true for won and lost stages.' }),
    ),
    active: preset(z.boolean(), true),
    display_order: preset(integer().meta({ description: 'Position in the pipeline; new stages become the last.' })),
    exit_criteria: optional(longText()),
    entry_criteria: optional(longText()),
  },
  references: { pipeline_id: 'pipelines' },
  filters: { pipeline_id: uuid().meta({ description: 'Only stages of this pipeline.' }) },
  list: { filters: { id: ['in'] } },
  example: {
    pipeline_id: '019a1b2c-0000-7000-8000-000000000002',
    name: 'Qualified',
    is_won: false,
    is_lost: false,
    is_closed: false,
    active: true,
    display_order: 1,
  },
  examplePatch: { entry_criteria: 'The budget is known.' },
  onCreate:
    'A stage is won or lost, not both. Won and lost stages are closed: `is_closed` is set, and `false` is refused.',
  onUpdate: 'The flags are checked as they are after the change. A stage stays in its pipeline.',
  conflictsIn: flagConflicts,
});

const remove = removeOperation(declared, declared.answered, {
  description: 'A stage with opportunities is only deleted with `move_to`. It does not go to the trash.',
  moveTo: 'A stage to which the opportunities at this stage are moved, at most 5,000.',
});

export const stage = { ...declared, operations: { ...declared.operations, delete: remove } };

/**
 * Returns the conflicts between the flags that a stage would have. Flags that are not given keep their current value.
 */
export function flagConflicts(given: Flags, current: Flags = {}): Conflict[] {
  const isSet = (name: string) => (given[name] ?? current[name]) === true;
  const [isWon, isLost] = [isSet('is_won'), isSet('is_lost')];
  if (isWon && isLost)
    return [{ path: [given['is_lost'] === true ? 'is_lost' : 'is_won'], message: 'A stage is won or lost, not both.' }];
  if ((isWon || isLost) && given['is_closed'] === false)
    return [{ path: ['is_closed'], message: 'Won and lost stages are closed.' }];
  return [];
}

type Flags = Readonly<Record<string, unknown>>;

export type Stage = z.output<typeof stage.record>;
