import { z } from 'zod';
import { isRecord } from '../fields/is-record.ts';

/** A field of a body that contradicts another field. */
export interface Conflict {
  path: string[];
  message: string;
}

/** Returns a check that reports the conflicts in a body together with all its other problems. */
export function refuseConflicts(conflictsIn: (body: Readonly<Record<string, unknown>>) => readonly Conflict[]) {
  const report = (body: unknown, ctx: z.core.$RefinementCtx) => {
    for (const { path, message } of isRecord(body) ? conflictsIn(body) : [])
      ctx.addIssue({ code: 'custom', params: { code: 'conflicting_fields' }, message, path });
  };
  return z.superRefine(report, { when: () => true });
}
