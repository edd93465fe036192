import { useCall } from '../api/queries.ts';

/**
 * Reads a version of a workflow, by default the newest. Pages without a version in their address share one cached
 * response. With two responses, the editor could get an older text and the newest version as its base, and publishing
 * would discard the version between them.
 */
export function useWorkflow(id: string, version?: number) {
  return useCall('getWorkflow', { params: { id }, ...(version !== undefined && { query: { version } }) });
}
