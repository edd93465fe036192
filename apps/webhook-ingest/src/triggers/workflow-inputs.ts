import { setImmediate } from 'node:timers/promises';
import type { Db } from '@relata/db';
import { type AssignedVersion, type Definition, findDefinition, readDefinition } from '@relata/workflows/intake';
import { LRUCache } from 'lru-cache';

type Inputs = Definition['inputs'];

/** Maximum size of the cached inputs, in characters of JSON. */
const charactersMax = 16_000_000;

/**
 * Returns a function that reads the inputs of a workflow's version, or the error for a definition that this release
 * cannot read. Results are cached, since a version never changes, and reading a large definition takes 70 ms.
 */
export function workflowInputs(db: Db): (orgId: string, assigned: AssignedVersion) => Promise<Inputs | Error> {
  const cached = new LRUCache<string, Inputs | Error>({
    maxSize: charactersMax,
    sizeCalculation: (read) => (read instanceof Error ? read.message.length + 1 : JSON.stringify(read).length),
  });
  return async (orgId, { workflow_id: id, version }) => {
    const key = `${orgId} ${id} ${version}`;
    const found = cached.get(key);
    if (found) return found;
    const definition = await findDefinition(db, orgId, id, version);
    // Other requests get a turn between two definitions.
    await setImmediate();
    const read = readInputs(definition);
    cached.set(key, read);
    return read;
  };
}

function readInputs(definition: unknown): Inputs | Error {
  try {
    return readDefinition(definition).inputs;
  } catch (error) {
    return error as Error;
  }
}
