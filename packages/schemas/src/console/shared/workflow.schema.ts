import { z } from 'zod';
import { Author } from './author.schema.ts';
import { id, time } from './page.schema.ts';

/** An error in a definition, or a warning about something that its author may not have intended. */
export const DefinitionFault = z.object({
  path: z.string().meta({ description: 'Like `steps[1].with.set.email`; empty for the definition as a whole.' }),
  message: z.string(),
  hint: z.string().optional(),
  line: z.int().optional().meta({ description: 'Line of the text, starting at 1.' }),
  column: z.int().optional().meta({ description: 'Column of the error, starting at 1.' }),
});

const StartedBy = z.array(z.object({ id, name: z.string(), active: z.boolean() }));

/** Null if the event that names the author has been deleted. */
const appliedBy = Author.nullable();

export const ListedWorkflow = z.object({
  id,
  name: z.string(),
  version: z.int(),
  triggers: StartedBy,
  runs: z.int(),
  failed_runs: z.int(),
  applied_by: appliedBy,
  updated_at: time,
});

export const WorkflowVersion = z.object({
  version: z.int(),
  applied_by: appliedBy,
  note: z.string().nullable(),
  created_at: time,
});

export const Workflow = z.object({
  id,
  name: z.string(),
  newest_version: z.int(),
  triggers: StartedBy,
  ...WorkflowVersion.shape,
  definition: z.unknown(),
});

export const PublishedWorkflow = z.object({
  id,
  version: z.int(),
  /** `unchanged` if the newest version is identical; then no version is created. */
  action: z.enum(['created', 'updated', 'unchanged']),
  /** Triggers whose mappings no longer match the inputs. */
  misfits: z.array(z.object({ trigger_id: id, trigger: z.string(), problems: z.array(z.string()) })),
  warnings: z.array(DefinitionFault),
});

export type DefinitionFault = z.output<typeof DefinitionFault>;
export type ListedWorkflow = z.output<typeof ListedWorkflow>;
export type WorkflowVersion = z.output<typeof WorkflowVersion>;
export type Workflow = z.output<typeof Workflow>;
export type PublishedWorkflow = z.output<typeof PublishedWorkflow>;
