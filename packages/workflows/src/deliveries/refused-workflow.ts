import type { ErrorDetail } from '@relata/schemas/errors';
import type { RefusedWorkflow } from './delivery-store.sql.ts';

/** Returns the problems of a refused workflow as details of an error. */
export function detailsOf({ problems }: RefusedWorkflow): ErrorDetail[] {
  return problems.map(({ code, message }) => ({ in: 'body', field: '', code, message }));
}
