import { z } from 'zod';
import { stepShape, Top } from './definition.schema.ts';
import type { StepKind } from '../steps/step-kind.ts';
import { stepKinds } from '../steps/step-kinds.ts';

type StepSchema = ReturnType<typeof stepOf>;

function stepOf({ use, with: input }: StepKind, inside?: z.ZodType) {
  const step = z.strictObject({ ...stepShape, use: z.literal(use), with: input });
  return (inside === undefined ? step : step.extend({ steps: inside })).meta({ id: use });
}

function listOf([first, ...others]: readonly StepSchema[]) {
  return z.array(z.discriminatedUnion('use', [first!, ...others])).min(1);
}

/**
 * Returns a JSON Schema (2020-12) of definitions, for editors. `readDefinition` checks more: the names that expressions
 * use, and members that exclude each other.
 */
export function definitionJsonSchema(): Record<string, unknown> {
  const inLoops = stepKinds.filter(({ executor }) => executor !== 'loop').map((kind) => stepOf(kind));
  const loops = stepKinds.filter(({ executor }) => executor === 'loop').map((kind) => stepOf(kind, listOf(inLoops)));
  const steps = listOf([...inLoops, ...loops]).meta({ description: 'Steps, executed in this order.' });
  const document = z.strictObject({ ...Top.shape, steps });
  const { $schema, ...schema } = z.toJSONSchema(document, { io: 'input', unrepresentable: 'any' });
  return { $schema, title: 'Relata workflow', ...schema };
}
