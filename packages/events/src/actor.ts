/** A person who operates the installation with its tool, and may reach every organization. */
export interface Operator {
  kind: 'operator';
  requestId: string;
}

/** Who changes something, and by which request: the id that is in the log, or that of the run. */
export type Author =
  | Operator
  | { kind: 'api_key'; keyId: string; requestId: string }
  | { kind: 'workflow_run'; runId: string; requestId: string }
  | { kind: 'user'; userId: string; requestId: string };

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

/** A run at work in its organization; the run is its own request. */
export function workflowRunIn(orgId: string, runId: string): Actor {
  return { kind: 'workflow_run', runId, requestId: runId, orgId };
}
