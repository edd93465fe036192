import { AppError } from '@relata/schemas/errors';
import { DefinitionError } from './definition.error.ts';
import type { Definition } from './definition.ts';
import { readDefinition } from './read-definition.ts';

/**
 * Reads a definition that was without fault when it was applied, perhaps by an earlier release. Throws an AppError whose
 * cause is the DefinitionError.
 */
export function readStoredDefinition(name: string, definition: unknown): Definition {
  try {
    return readDefinition(definition);
  } catch (cause) {
    if (!(cause instanceof DefinitionError)) throw cause;
    const message = `This release cannot read the definition of the workflow ${name}: apply it again.`;
    throw new AppError('conflict', message, { cause });
  }
}
