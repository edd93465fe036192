import { z } from 'zod';
import type { ErrorDetail } from '../errors/error-body.ts';
import { conflict } from '../lists/list-problems.ts';
import type { Scope } from '../scopes.ts';
import { recordCounts } from './delete.schema.ts';
import { tried } from './write.schema.ts';

const choice = z.enum(['true', 'false']).optional();

/** Parameter of a delete that erases. */
export const eraseParameter = {
  erase: choice.meta({
    description:
      'If `true`, the record is erased with its history, also if it is in the trash or has already left it. It cannot ' +
      'be restored. Needs the scope `records:erase` instead.',
  }),
};

/** Parameter of an erase that includes activities. */
export const activitiesParameter = {
  activities: choice.meta({
    description:
      'If `true`, all activities that are linked to the record are erased, too. Otherwise they lose the link and keep ' +
      'their text. Only with `erase=true`.',
  }),
};

type Query = Readonly<Record<string, unknown>>;

/** Returns the scope of an erase; undefined for a delete. */
export const eraseScope = ({ erase }: Query): Scope | undefined => (erase === 'true' ? 'records:erase' : undefined);

/** Returns the problem of a delete with a parameter that only an erase has. */
export function eraseProblems({ erase, activities }: Query): ErrorDetail[] {
  return activities === undefined || erase === 'true' ? [] : [conflict('activities', 'Needs erase=true.')];
}

/** Describes a response to an erase. */
export const erasedSchema = z.object({
  data: z.object({ id: z.string().meta({ format: 'uuid' }) }),
  meta: z.object({
    action: z.literal('erased'),
    events: z.int().min(0).meta({ description: 'Number of events whose content was erased.' }),
    activities: z.int().min(0).meta({ description: 'Number of activities that were erased with it.' }),
    merged_records: z.int().min(0).meta({ description: 'Number of records merged into it that were erased.' }),
    unlinked: recordCounts.meta({ description: 'Number of other records whose links were cleared, by kind.' }),
    erased: recordCounts.optional().meta({
      description: 'Number of other records erased with it because they cannot exist without it, by kind.',
    }),
    counts_relation: z.literal('gte').optional().meta({
      description: 'Present in a dry run that stopped counting. The erase would take several transactions.',
    }),
    ...tried,
  }),
});
