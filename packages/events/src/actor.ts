/** A person who operates the installation with the command line, and has access to every organization. */
export interface Operator {
  kind: 'operator';
  requestId: string;
}

interface ApiKeyAuthor {
  kind: 'api_key';
  keyId: string;
  keyName: string;
  requestId: string;
}

export interface RunAuthor {
  kind: 'workflow_run';
  runId: string;
  workflow: string;
  step: string;
  /**
   * Number of runs that led to this one: each made a change that started the next. 0 if a delivery from outside started
   * it.
   */
  depth: number;
  requestId: string;
}

interface UserAuthor {
  kind: 'user';
  userId: string;
  name: string;
  requestId: string;
}

/** Relata itself, for changes that no request asked for. */
interface SystemAuthor {
  kind: 'system';
  requestId: string;
}

/** Author of a change, with the id of its request (as in the log) or its run. */
export type Author = Operator | ApiKeyAuthor | RunAuthor | UserAuthor | SystemAuthor;

/** Author of a change in an organization. Writes take it in place of the organization's id. */
export type Actor = Author & { orgId: string };

export function organizationActor(author: Author, orgId: string): Actor {
  return { ...author, orgId };
}

export function operatorActor(orgId: string, requestId: string): Actor {
  return { kind: 'operator', requestId, orgId };
}

/** Returns the actor for a step of a run; the run's id is also the request's id. */
export function runActor(orgId: string, run: Omit<RunAuthor, 'kind' | 'requestId'>): Actor {
  return { ...run, kind: 'workflow_run', requestId: run.runId, orgId };
}

export function systemActor(orgId: string, requestId: string): Actor {
  return { kind: 'system', requestId, orgId };
}
