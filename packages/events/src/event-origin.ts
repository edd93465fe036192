import type { Actor } from './actor.ts';

export interface EventOrigin {
  /** Actor as JSON. */
  actor: string;
  requestId: string;
  /** Number of runs that led to the change, including the run that made it. */
  depth: number;
}

export function toEventOrigin(actor: Actor): EventOrigin {
  const depth = actor.kind === 'workflow_run' ? actor.depth + 1 : 0;
  return { actor: JSON.stringify(storedActor(actor)), requestId: actor.requestId, depth };
}

/**
 * An actor as events store it. The name is stored with the id, since events may be read long after a key was revoked.
 */
export type StoredActor =
  | { type: 'api_key' | 'user'; id: string; name: string }
  | { type: 'run'; id: string; workflow: string; step: string }
  | { type: 'operator' | 'system' };

function storedActor(actor: Actor): StoredActor {
  switch (actor.kind) {
    case 'api_key':
      return { type: 'api_key', id: actor.keyId, name: actor.keyName };
    case 'user':
      return { type: 'user', id: actor.userId, name: actor.name };
    case 'workflow_run':
      return { type: 'run', id: actor.runId, workflow: actor.workflow, step: actor.step };
    case 'operator':
    case 'system':
      return { type: actor.kind };
  }
}
