/** A person who operates the installation with its tool, and may reach every organization. */
export interface Operator {
  kind: 'operator';
  requestId: string;
}

/** A caller of the API. */
interface ApiKeyAuthor {
  kind: 'api_key';
  keyId: string;
  keyName: string;
  requestId: string;
}

/** A step of a workflow's run. */
export interface RunAuthor {
  kind: 'workflow_run';
  runId: string;
  workflow: string;
  step: string;
  /** How many runs led to this one, each by a change that it made; 0 for one that a delivery from outside started. */
  depth: number;
  requestId: string;
}

/** Someone who is signed in. */
interface UserAuthor {
  kind: 'user';
  userId: string;
  name: string;
  requestId: string;
}

/** Relata itself: what no request asked for. */
interface SystemAuthor {
  kind: 'system';
  requestId: string;
}

/** Who changes something, and by which request: the id that is in the log, or that of the run. */
export type Author = Operator | ApiKeyAuthor | RunAuthor | UserAuthor | SystemAuthor;

/** Who changes something in an organization. A write takes it in place of the organization's id. */
export type Actor = Author & { orgId: string };

/** An author at work in one organization. */
export function inOrganization(author: Author, orgId: string): Actor {
  return { ...author, orgId };
}

/** An operator at work in one organization, on a request of that id. */
export function operatorIn(orgId: string, requestId: string): Actor {
  return { kind: 'operator', requestId, orgId };
}

/** A step of a run at work in its organization; the run is its own request. */
export function workflowRunIn(orgId: string, run: Omit<RunAuthor, 'kind' | 'requestId'>): Actor {
  return { ...run, kind: 'workflow_run', requestId: run.runId, orgId };
}

/** Relata itself at work in one organization. */
export function systemIn(orgId: string, requestId: string): Actor {
  return { kind: 'system', requestId, orgId };
}
