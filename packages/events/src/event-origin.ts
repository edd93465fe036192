import type { Actor } from './actor.ts';

/** Where an event comes from, as it is stored with it. */
export interface EventOrigin {
  /** Who, as JSON. */
  actor: string;
  requestId: string;
  /** How many runs led to the change, the one that made it included. */
  depth: number;
}

/** Where the events of what an actor changes come from. */
export function originOf(actor: Actor): EventOrigin {
  const depth = actor.kind === 'workflow_run' ? actor.depth + 1 : 0;
  return { actor: JSON.stringify(storedActor(actor)), requestId: actor.requestId, depth };
}

/** An actor as events keep it. A name is kept beside the id: it is read long after the key was revoked. */
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
