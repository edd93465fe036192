import { AppError } from '@relata/schemas/errors';
import { DefinitionError } from './definition.error.ts';
import type { Definition } from './definition.ts';
import { readDefinition } from './read-definition.ts';

/**
 * Reads a stored definition, which an earlier release may have accepted. Throws `conflict`, caused by the
 * DefinitionError, if this release does not accept it.
 */
export function readStoredDefinition(name: string, definition: unknown): Definition {
  try {
    return readDefinition(definition);
  } catch (cause) {
    if (!(cause instanceof DefinitionError)) throw cause;
    const message = `This release cannot read the definition of the workflow ${name}. Apply it again.`;
    throw new AppError('conflict', message, { cause });
  }
}
