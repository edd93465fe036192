import { z } from 'zod';
import { Author } from './author.schema.ts';
import { id, time } from './page.schema.ts';

/** One thing that is wrong with a definition, or that its author perhaps did not intend. */
export const DefinitionFault = z.object({
  path: z.string().meta({ description: 'Like `steps[1].with.set.email`; empty for the definition as a whole.' }),
  message: z.string(),
  hint: z.string().optional(),
  line: z.int().optional().meta({ description: 'The line of the text, from 1.' }),
  column: z.int().optional().meta({ description: 'Its column, from 1.' }),
});

const StartedBy = z.array(z.object({ id, name: z.string(), active: z.boolean() }));

const appliedBy = Author.nullable().meta({ description: '`null` where no event says so any more.' });

export const ListedWorkflow = z.object({
  id,
  name: z.string(),
  version: z.int().meta({ description: 'The newest, which new runs take.' }),
  triggers: StartedBy.meta({ description: 'Those that start it, by name.' }),
  runs: z.int().meta({ description: 'Runs that began since `runs_since`.' }),
  failed_runs: z.int().meta({ description: 'Those of them that have failed.' }),
  applied_by: appliedBy,
  updated_at: time,
});

export const WorkflowVersion = z.object({
  version: z.int(),
  applied_by: appliedBy,
  note: z.string().nullable().meta({ description: 'Why it was made.' }),
  created_at: time,
});

export const Workflow = z.object({
  id,
  name: z.string(),
  newest_version: z.int(),
  triggers: StartedBy,
  ...WorkflowVersion.shape,
  definition: z.unknown().meta({ description: 'Of this version, as it was applied.' }),
});

export const PublishedWorkflow = z.object({
  id,
  version: z.int(),
  action: z
    .enum(['created', 'updated', 'unchanged'])
    .meta({ description: '`unchanged` where the newest version is the same: none was made.' }),
  misfits: z
    .array(z.object({ trigger_id: id, trigger: z.string(), problems: z.array(z.string()) }))
    .meta({ description: 'Triggers whose mappings do not give what it asks for now.' }),
  warnings: z.array(DefinitionFault),
});

export type DefinitionFault = z.output<typeof DefinitionFault>;
export type ListedWorkflow = z.output<typeof ListedWorkflow>;
export type WorkflowVersion = z.output<typeof WorkflowVersion>;
export type Workflow = z.output<typeof Workflow>;
export type PublishedWorkflow = z.output<typeof PublishedWorkflow>;
